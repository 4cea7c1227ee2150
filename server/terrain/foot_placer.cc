// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/foot_placer.h"

#include <algorithm>

#include "terrain/arcs.h"

namespace ikstream {
namespace {

// Speeds are means over this time, so that jitter of single frames does not count.
constexpr double kSpeedSeconds = 1.0 / 30;
constexpr double kMostSpeedFrames = 64;
// Ground steeper than 60 degrees lifts no more than ground of 60 degrees.
constexpr double kLeastRise = 0.5;
// Corrections below this share of the leg (or below as many radians) are none.
constexpr double kNothing = 1e-6;
// Nearer to straight than this share of the leg, the side to which a knee points is noise.
constexpr double kStraight = 0.02, kBent = 0.06;
// How far heel and toe pitch the sole off the mean of their normals, and where they disagree so
// much that they do no more. Radians; so wide that a normal that turns never turns the sole by
// more than 1.4 times as much.
constexpr double kMostPitch = 0.17, kPitchFades = 0.26, kPitchEnds = 1.05;

// The height of a point over the plane of a hit, less its own offset.
double HeightOver(const GroundHit& hit, Vec3d point, double offset, Vec3d up) {
  return (Dot(point - hit.point, hit.normal) - offset) /
         std::max(Dot(hit.normal, up), kLeastRise);
}

// The normal of a sole whose heel and toe both stand: `mean`, the mean of their grounds'
// normals, pitched so that it is orthogonal to `line`, from the heel's ground to the toe's.
// Only where the two nearly agree: on the edge of a step the line says nothing, and where it
// runs along the normal it would flip.
Vec3d WithPitchOf(Vec3d line, Vec3d mean) {
  const double length = Length(line);
  if (!(length > 0)) return mean;
  const Vec3d along = line / length;
  const Vec3d pitched = NormalizedOr(mean - along * Dot(mean, along), mean);
  const double apart = AngleOf(mean, pitched);
  const double t = std::clamp((apart - kPitchFades) / (kPitchEnds - kPitchFades), 0.0, 1.0);
  return TurnedTowards(mean, pitched, kMostPitch * (1 - t * t * (3 - 2 * t)));
}

bool IsNothing(Quatd turn) { return AngleBetween(turn, Quatd{}) < kNothing; }

}  // namespace

FootPlacer::FootPlacer(const FootGeometry* foot, const PlaceSettings* settings,
                       const Ground* ground, UpAxis up, double frames_per_second,
                       double sole_radius)
    : foot_(foot),
      settings_(settings),
      ground_(ground),
      up_(UpVector(up)),
      dt_(1 / frames_per_second),
      sole_radius_(sole_radius),
      speed_frames_(static_cast<size_t>(
          std::clamp(std::round(kSpeedSeconds * frames_per_second), 1.0, kMostSpeedFrames))) {
  Reset();
}

void FootPlacer::Reset() {
  state_ = {};
  state_.velocities.reserve(speed_frames_);
  state_.ground_normal = state_.toe_ground_normal = up_;
  state_.normal = state_.toe_normal = up_;
}

const AnimatedFoot& FootPlacer::Read(const ModelPose& pose) {
  return now_ = ReadFoot(*foot_, *settings_, up_, pose);
}

const GroundHit* FootPlacer::LockGround() const {
  if (foot_->has_toe_point && toe_hit_) return &*toe_hit_;
  return heel_hit_ ? &*heel_hit_ : toe_hit_ ? &*toe_hit_ : nullptr;
}

// Where a point of the lock is now, carried by its platform.
Vec3d FootPlacer::Carried(const PlatformPoses& platforms, Vec3d point) const {
  const int platform = state_.lock->platform;
  const bool rests = platform < 0 || platform >= static_cast<int>(platforms.now.size());
  return rests ? point : platforms.now[platform].Apply(point);
}

Vec3d FootPlacer::LockedPlace(const PlatformPoses& platforms) const {
  return Carried(platforms, state_.lock->point);
}

void FootPlacer::FindGround(const FootSurroundings& around) {
  const Vec3d heel = now_.ankle - up_ * foot_->heel_offset;
  const Vec3d toe = now_.toe - up_ * foot_->toe_offset;
  if (around.sampled) {
    heel_hit_ = around.heel_sample;
    toe_hit_ = around.toe_sample;
    if (heel_hit_ && !InRange(settings_->range, up_, heel, heel_hit_->point)) heel_hit_.reset();
    if (toe_hit_ && !InRange(settings_->range, up_, toe, toe_hit_->point)) toe_hit_.reset();
  } else {
    heel_hit_.reset();
    toe_hit_.reset();
    if (ground_ == nullptr) return;
    // Under the foot where it is going to be: a locked foot is not where it is animated.
    const Vec3d shift =
        state_.lock ? Horizontal(LockedPlace(around.platforms) - LockPoint()) : state_.slide;
    heel_hit_ = ground_->Query(around.platforms, heel + shift, sole_radius_);
    if (foot_->has_toe_point)
      toe_hit_ = ground_->Query(around.platforms, toe + shift, sole_radius_);
  }
  if (!foot_->has_toe_point) toe_hit_.reset();
}

FootPlacer::Velocities FootPlacer::MeasureSpeed(const PlatformPoses& platforms) {
  const GroundHit* hit = LockGround();
  const int platform = hit != nullptr ? hit->platform : -1;
  // A velocity alone says how far the ground went.
  const Vec3d carried = hit != nullptr && platform < 0 ? hit->velocity * dt_ : Vec3d{};
  const auto velocity = [&](Vec3d point, Vec3d before) {
    return (platforms.Before(platform, point) - carried - before) / dt_;
  };
  if (!state_.first) {
    const Velocities now{velocity(LockPoint(), state_.point_before),
                         velocity(now_.ankle, state_.heel_before)};
    if (state_.velocities.size() < speed_frames_)
      state_.velocities.push_back(now);
    else
      state_.velocities[state_.velocity_count % speed_frames_] = now;
    ++state_.velocity_count;
  }
  state_.point_before = LockPoint();
  state_.heel_before = now_.ankle;
  Velocities mean;
  for (const Velocities& v : state_.velocities) mean.point += v.point, mean.heel += v.heel;
  const double n = std::max<double>(1, static_cast<double>(state_.velocities.size()));
  return {mean.point / n, mean.heel / n};
}

void FootPlacer::Detect(const FootSurroundings& around) {
  FindGround(around);
  const Velocities velocity = MeasureSpeed(around.platforms);
  FootMotion motion;
  motion.grounded = grounded();
  motion.speed = Length(velocity.point);
  motion.heel_speed = Length(velocity.heel);
  motion.rising = Dot(velocity.point, up_);
  motion.height = grounded() ? -Lift(now_.ankle, now_.toe) : 0;
  motion.height_over_feet = now_.lowest - around.lowest_foot;
  motion.sole_tilt = AngleOf(now_.sole_normal, up_);
  motion.curve = around.curve;
  state_.weights.Update(motion, *settings_, dt_);
}

// How far a foot has to rise so that the lower of heel and toe stands on the ground.
double FootPlacer::Lift(Vec3d ankle, Vec3d toe) const {
  const double heel = heel_hit_ ? -HeightOver(*heel_hit_, ankle, foot_->heel_offset, up_) : 0;
  if (!toe_hit_) return heel;
  const double front = -HeightOver(*toe_hit_, toe, foot_->toe_offset, up_);
  return heel_hit_ ? std::max(heel, front) : front;
}

void FootPlacer::SeeGround() {
  const Vec3d heel = heel_hit_ ? heel_hit_->normal : toe_hit_->normal;
  const Vec3d toe = toe_hit_ ? toe_hit_->normal : heel;
  const Vec3d sum = heel + toe;
  // Opposite normals have no mean.
  Vec3d mean = Length(sum) > 1e-6 ? sum / Length(sum) : heel;
  if (heel_hit_ && toe_hit_) mean = WithPitchOf(toe_hit_->point - heel_hit_->point, mean);
  state_.ground_normal = TurnedTowards(up_, mean, settings_->max_tilt);
  state_.toe_ground_normal = TurnedTowards(up_, toe, settings_->max_tilt);
}

// Turns the foot about its sole, and the toe about its own, as far as they stand on the ground.
void FootPlacer::TurnToGround() {
  if (grounded()) SeeGround();
  const double weight = state_.weights.weight();
  const double limit = state_.first ? 4 : settings_->tilt_speed * dt_;
  state_.normal =
      TurnedTowards(state_.normal, Between(up_, state_.ground_normal, weight), limit);
  state_.toe_normal =
      TurnedTowards(state_.toe_normal, Between(up_, state_.toe_ground_normal, weight), limit);
  const Vec3d from = Between(up_, now_.sole_normal, state_.weights.flat());
  turn_ = ShortestArc(from, state_.normal);
  base_ankle_ = now_.ankle + (state_.normal - from) * foot_->heel_offset;
  const double toe_flat = weight * Flatness(AngleOf(now_.toe_normal, up_));
  toe_turn_ = ShortestArc(Between(up_, now_.toe_normal, toe_flat), state_.toe_normal);
}

// Keeps a planted foot where it was set down; lets go over time, so that nothing jumps. `place`
// is where the locked point would be without it.
void FootPlacer::HoldOrRelease(const PlatformPoses& platforms, Vec3d place) {
  const GroundHit* ground = LockGround();
  const int platform = ground != nullptr ? ground->platform : -1;
  if (state_.lock) {
    Lock& lock = *state_.lock;
    // A velocity alone says how far the ground went.
    const Vec3d moved = platform < 0 && ground != nullptr ? ground->velocity * dt_ : Vec3d{};
    lock.point += moved;
    lock.animated += moved;
    // How far the animation went since; what the foot's own turn adds does not count.
    const double drift = Length(Horizontal(Carried(platforms, lock.animated) - LockPoint()));
    const bool too_far = lock.slid + drift > settings_->lock_radius;
    const Vec3d slide = Horizontal(LockedPlace(platforms) - place);
    if (state_.weights.planted() && platform == state_.lock->platform && !too_far) {
      state_.slide = slide;
      return;
    }
    state_.lock.reset();
    state_.released_slide = state_.slide;
    state_.release = 1;
    state_.lock_again = !too_far;
  }
  state_.release = std::max(0.0, state_.release - settings_->fall_per_second * dt_);
  state_.slide = state_.released_slide * state_.release;
  if (state_.release == 0) state_.lock_again = true;
  if (!settings_->lock || !state_.weights.planted() || !state_.lock_again) return;
  const Vec3d held = place + state_.slide;
  const bool carried = platform >= 0 && platform < static_cast<int>(platforms.now.size());
  state_.lock = carried ? Lock{platforms.now[platform].Unapply(held),
                               platforms.now[platform].Unapply(LockPoint()),
                               Length(state_.slide), platform}
                        : Lock{held, LockPoint(), Length(state_.slide), -1};
}

void FootPlacer::Aim(const FootSurroundings& around) {
  TurnToGround();
  const Vec3d toe = Rotate(turn_, now_.toe - now_.ankle);
  HoldOrRelease(around.platforms, foot_->has_toe_point ? base_ankle_ + toe : base_ankle_);
  if (!grounded()) return;
  const Vec3d ankle = base_ankle_ + state_.slide;
  const double need = Dot(base_ankle_ - now_.ankle, up_) + Lift(ankle, ankle + toe);
  // Ground above the sole lifts any foot; only a foot that stands follows ground below it.
  const double goal = need > 0 ? need : need * state_.weights.weight();
  state_.rise =
      state_.first ? goal : Approach(state_.rise, goal, settings_->vertical_speed * dt_);
}

std::optional<ReachInterval> FootPlacer::Vote() const {
  if (!grounded() || state_.weights.weight() <= 0) return std::nullopt;
  const Vec3d target =
      now_.ankle + Horizontal(base_ankle_ - now_.ankle) + state_.slide + up_ * state_.rise;
  return OffsetsThatReach(now_.reach, now_.hip, target, up_);
}

// The animated knee's side of the hip-ankle line; near straight the knee's own front.
Vec3d FootPlacer::Pole() const {
  const Vec3d line = NormalizedOr(now_.ankle - now_.hip, -up_);
  const Vec3d knee = (now_.knee - now_.hip) / now_.leg_length;
  const Vec3d bend = knee - line * Dot(knee, line);
  const double t = std::clamp((kBent - Length(bend)) / (kBent - kStraight), 0.0, 1.0);
  const Vec3d front = Rotate(now_.hip_rotation, foot_->knee_forward);
  return NormalizedOr(bend + front * (kStraight * t * t * (3 - 2 * t)), front);
}

FootTarget FootPlacer::Finish(double pelvis_offset) {
  // Without ground a foot goes with the pelvis, as its animation does.
  if (!grounded())
    state_.rise = state_.first
                      ? pelvis_offset
                      : Approach(state_.rise, pelvis_offset, settings_->vertical_speed * dt_);
  state_.first = false;
  FootTarget out;
  out.rotation = Normalized(turn_ * now_.ankle_rotation);
  out.toe_rotation = Normalized(toe_turn_ * now_.toe_rotation);
  out.pole = Pole();
  out.asked =
      now_.ankle + Horizontal(base_ankle_ - now_.ankle) + state_.slide + up_ * state_.rise;
  const Vec3d hip = now_.hip + up_ * pelvis_offset;
  const double distance = Length(out.asked - hip);
  out.softened = hip + NormalizedOr(out.asked - hip, -up_) * now_.reach.Soften(distance);
  // What the animation does of itself, moved with the pelvis, needs no solve.
  const bool stays = !grounded() || pelvis_offset == 0;
  const Vec3d moved = now_.ankle + up_ * pelvis_offset;
  out.solve = !stays || !IsNothing(turn_) || !IsNothing(toe_turn_) ||
              Length(out.asked - moved) > kNothing * now_.leg_length;
  return out;
}

}  // namespace ikstream
