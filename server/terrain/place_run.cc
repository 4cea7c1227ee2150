// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/place_run.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "terrain/arcs.h"

namespace ikstream {
namespace {

// A toe that turns less is left as it was sent, radians.
constexpr float kToeUnchanged = 1e-5f;
// A pelvis that moves less, as a share of the mean leg, stays.
constexpr double kPelvisUnchanged = 1e-6;

PlaceSettings InRigUnits(PlaceSettings s, double units) {
  s.range = Scaled(s.range, units);
  for (double* length :
       {&s.enter_speed, &s.leave_speed, &s.enter_height, &s.airborne_height, &s.rising_speed,
        &s.vertical_speed, &s.pelvis_speed, &s.pelvis_down, &s.pelvis_up, &s.lock_radius})
    *length *= units;
  return s;
}

}  // namespace

PlaceRun::PlaceRun(const PlacerSpec& spec, std::shared_ptr<const Rig> rig,
                   std::vector<FootGeometry> feet, double units_per_metre)
    : rig_(std::move(rig)),
      geometry_(std::move(feet)),
      units_(units_per_metre),
      settings_(InRigUnits(spec.settings, units_per_metre)),
      dt_(1 / spec.frames_per_second),
      up_(UpVector(rig_->up())),
      solver_(rig_) {
  if (spec.terrain != nullptr) ground_.emplace(spec.terrain, units_, spec.settings.range);
  for (size_t k = 0; k < geometry_.size(); ++k) {
    feet_.emplace_back(&geometry_[k], &settings_, ground_ ? &*ground_ : nullptr, rig_->up(),
                       spec.frames_per_second, spec.feet[k].sole_radius_m * units_);
    mean_leg_ += geometry_[k].length / static_cast<double>(geometry_.size());
  }
  tracks_.resize(feet_.size());
  toes_.resize(feet_.size());
  FindPelvis(spec.rig.translated_joints);
  FindDriven();
}

void PlaceRun::FindPelvis(const std::vector<int>& translated) {
  pelvis_ = PelvisJoint(rig_->skeleton(), geometry_, translated);
  if (pelvis_ == rig_->skeleton().root()) return;
  const auto at = std::find(translated.begin(), translated.end(), pelvis_);
  pelvis_translation_ = static_cast<int>(at - translated.begin());
}

void PlaceRun::FindDriven() {
  driven_.assign(rig_->driven_joints().begin(), rig_->driven_joints().end());
  for (const FootGeometry& foot : geometry_)
    if (foot.turns_toe) driven_.push_back(foot.toe);
  std::sort(driven_.begin(), driven_.end());
  driven_.erase(std::unique(driven_.begin(), driven_.end()), driven_.end());
}

void PlaceRun::Reset() {
  first_ = true;
  pelvis_offset_ = 0;
  for (FootPlacer& foot : feet_) foot.Reset();
  toes_.assign(feet_.size(), {});
  platforms_before_.clear();
  solver_.Reset();
}

PoseView PlaceRun::PoseOf(const MotionView& motion, int frame) const {
  const std::int64_t f = frame;
  const auto translated = static_cast<std::int64_t>(rig_->translated_joints().size());
  return {
      motion.root_positions + 3 * f, motion.local_rotations + 4 * f * rig_->skeleton().size(),
      motion.local_translations == nullptr ? nullptr
                                           : motion.local_translations + 3 * f * translated};
}

FootSurroundings PlaceRun::Around(const PlaceInput& input, int foot, int frame,
                                  double lowest_foot) const {
  FootSurroundings around{{platforms_, platforms_before_, dt_}, {}, {}, false, lowest_foot, 1};
  if (input.feet.empty()) return around;
  const PlaceFootInput& in = input.feet[foot];
  if (in.curve) around.curve = std::clamp(static_cast<double>(*in.curve.at(frame)), 0.0, 1.0);
  around.sampled = in.heel.given() || in.toe.given();
  // A foot sampled at one point stands on that point's plane.
  around.heel_sample = SampleAt(in.heel.given() ? in.heel : in.toe, frame, up_);
  around.toe_sample = SampleAt(in.toe.given() ? in.toe : in.heel, frame, up_);
  return around;
}

// The offset goes to its goal at a bounded speed.
double PlaceRun::MovePelvis() {
  votes_.clear();
  for (const FootPlacer& foot : feet_)
    if (const auto vote = foot.Vote()) votes_.push_back(*vote);
  double goal = PelvisOffset(votes_, -settings_.pelvis_down, settings_.pelvis_up);
  if (std::abs(goal) < kPelvisUnchanged * mean_leg_) goal = 0;
  pelvis_offset_ = first_ ? goal : Approach(pelvis_offset_, goal, settings_.pelvis_speed * dt_);
  return pelvis_offset_;
}

void PlaceRun::ApplyPelvis(const MotionView& motion, const PlaceOutput& output, int frame) {
  const PoseView in = PoseOf(motion, frame);
  const size_t width = 3 * rig_->translated_joints().size();
  float* root = output.root_positions + 3 * static_cast<std::int64_t>(frame);
  std::copy_n(in.root_position, 3, root);
  float* translations = output.local_translations + width * frame;
  if (width > 0) std::copy_n(in.local_translations, width, translations);
  if (output.pelvis_offsets != nullptr)
    output.pelvis_offsets[frame] = static_cast<float>(pelvis_offset_);
  if (pelvis_offset_ == 0) return;
  Vec3d shift = up_ * pelvis_offset_;
  float* moved = root;
  if (pelvis_translation_ >= 0) {
    const int parent = rig_->skeleton().joint(pelvis_).parent;
    shift = Rotate(Conjugate(pose_.rotations[parent]), shift);
    moved = translations + 3 * pelvis_translation_;
  }
  Store(Cast<float>(Cast<double>(LoadVec3(moved)) + shift), moved);
}

void PlaceRun::AimFeet(const PlaceInput& input, const PlaceOutput& output, int frame) {
  platforms_.resize(input.platforms.size());
  for (size_t k = 0; k < platforms_.size(); ++k)
    platforms_[k] = PoseAt(input.platforms[k], frame);
  ForwardKinematics(rig_->skeleton(), PoseOf(input.motion, frame), rig_->translated_joints(),
                    pose_);
  double lowest = std::numeric_limits<double>::infinity();
  for (FootPlacer& foot : feet_) lowest = std::min(lowest, foot.Read(pose_).lowest);
  for (size_t k = 0; k < feet_.size(); ++k) {
    const FootSurroundings around = Around(input, static_cast<int>(k), frame, lowest);
    feet_[k].Detect(around);
    feet_[k].Aim(around);
  }
  const double offset = MovePelvis();
  ApplyPelvis(input.motion, output, frame);
  for (size_t k = 0; k < feet_.size(); ++k) tracks_[k].Set(frame, feet_[k].Finish(offset));
  for (size_t k = 0; k < output.feet.size(); ++k) {
    const PlaceFootOutput& out = output.feet[k];
    const FootWeights& weights = feet_[k].weights();
    if (out.weights != nullptr) out.weights[frame] = static_cast<float>(weights.weight());
    if (out.contacts != nullptr) out.contacts[frame] = weights.planted();
  }
  std::swap(platforms_, platforms_before_);
  first_ = false;
}

void PlaceRun::SolveLegs(const PlaceInput& input, const PlaceOutput& output) {
  targets_.clear();
  for (const PlacedLeg& track : tracks_) targets_.push_back(track.AsTargets());
  results_.assign(tracks_.size(), {});
  MotionView moved = input.motion;
  moved.root_positions = output.root_positions;
  if (moved.local_translations != nullptr) moved.local_translations = output.local_translations;
  solver_.Solve(moved, targets_, output.local_rotations, results_);
}

// The toe comes last: its parent is where the leg's solve left it. `pose_` is that pose.
void PlaceRun::TurnToe(size_t foot, int frame, const float* sent, float* rotations) {
  const int toe = geometry_[foot].toe;
  const FootTarget& target = tracks_[foot].targets[frame];
  PlacedToe& state = toes_[foot];
  const Quatf input = LoadQuat(sent + 4 * toe);
  const int parent = rig_->skeleton().joint(toe).parent;
  Quatf local = Cast<float>(Conjugate(pose_.rotations[parent]) * target.toe_rotation);
  const bool turns = target.solve && AngleBetween(input, local) > kToeUnchanged;
  if (turns) {
    if (Dot(local, state.turned ? state.last : input) < 0) local = -local;
    Store(local, rotations + 4 * toe);
  }
  state = {turns, local};
}

void PlaceRun::FinishFrame(const PlaceInput& input, const PlaceOutput& output, int frame) {
  const MotionView solved{
      input.motion.frames, output.root_positions, output.local_rotations,
      input.motion.local_translations == nullptr ? nullptr : output.local_translations};
  ForwardKinematics(rig_->skeleton(), PoseOf(solved, frame), rig_->translated_joints(), pose_);
  const float* sent = PoseOf(input.motion, frame).local_rotations;
  float* rotations = output.local_rotations + 4LL * frame * rig_->skeleton().size();
  for (size_t k = 0; k < feet_.size(); ++k) {
    if (geometry_[k].turns_toe) TurnToe(k, frame, sent, rotations);
    if (k >= output.feet.size() || output.feet[k].residuals == nullptr) continue;
    const FootTarget& target = tracks_[k].targets[frame];
    const double residual =
        target.solve ? Length(pose_.positions[geometry_[k].ankle()] - target.asked) : 0;
    output.feet[k].residuals[frame] = static_cast<float>(residual);
  }
}

void PlaceRun::Place(const PlaceInput& input, const PlaceOutput& output) {
  for (PlacedLeg& track : tracks_) track.Resize(static_cast<size_t>(input.motion.frames));
  for (int frame = 0; frame < input.motion.frames; ++frame) AimFeet(input, output, frame);
  SolveLegs(input, output);
  for (int frame = 0; frame < input.motion.frames; ++frame) FinishFrame(input, output, frame);
}

}  // namespace ikstream
