// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/planner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "motion/floor_fit.h"
#include "motion/soles.h"

namespace ikstream {
namespace {

std::vector<FootContacts> KeptIntervals(const Plan* earlier) {
  std::vector<FootContacts> out;
  if (earlier == nullptr) return out;
  for (size_t f = 0; f < earlier->feet.size(); ++f) {
    FootContacts kept{static_cast<int>(f), earlier->feet[f].intervals};
    std::erase_if(kept.intervals,
                  [](const ContactInterval& i) { return !i.locked && !i.ignored; });
    if (!kept.intervals.empty()) out.push_back(std::move(kept));
  }
  return out;
}

bool TouchesAny(const ContactInterval& interval, const std::vector<ContactInterval>& list) {
  return std::any_of(list.begin(), list.end(), [&](const ContactInterval& other) {
    return interval.begin < other.end && other.begin < interval.end;
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Planner>> Planner::Create(ClipSpec clip,
                                                         CleanupSettings settings,
                                                         const PlannerInputs& inputs) {
  if (clip.feet.empty())
    return FieldError("rig.feet", "is empty and no legs were found: name hip and ankle joints");
  if (absl::Status status = ValidateSettings(settings); !status.ok())
    return Under("cleanup", status);
  if (absl::Status status = ValidateContacts(inputs.contacts, clip); !status.ok())
    return status;
  if (inputs.earlier != nullptr)
    if (absl::Status status = ValidatePlan(*inputs.earlier, clip); !status.ok())
      return Under("plan", status);
  return std::unique_ptr<Planner>(new Planner(std::move(clip), WithDefaults(settings), inputs));
}

Planner::Planner(ClipSpec clip, CleanupSettings settings, const PlannerInputs& inputs)
    : clip_(std::move(clip)),
      settings_(settings),
      ground_(inputs.ground),
      ground_kind_(inputs.ground_kind),
      contacts_(inputs.contacts),
      kept_(KeptIntervals(inputs.earlier)),
      source_sha256_(inputs.source_sha256),
      tracker_(clip_),
      legs_(clip_.feet.size()),
      legs_before_(clip_.feet.size()),
      knees_(clip_.feet.size()) {
  for (const FootShape& shape : tracker_.shapes()) tracks_.emplace_back(shape);
}

void Planner::Push(const MotionView& motion) {
  const std::int64_t joints = clip_.skeleton->size();
  const auto translated = static_cast<std::int64_t>(clip_.translated_joints.size());
  for (std::int64_t i = 0; i < motion.frames; ++i)
    ReadFrame({motion.root_positions + 3 * i, motion.local_rotations + 4 * joints * i,
               motion.local_translations == nullptr
                   ? nullptr
                   : motion.local_translations + 3 * translated * i});
}

void Planner::ReadFrame(const PoseView& pose) {
  const Vec3d pelvis = tracker_.Read(pose, legs_);
  const std::int64_t frame = frames_ - clip_.lead_in;
  for (size_t f = 0; f < tracks_.size(); ++f) {
    if (ground_ == nullptr)
      tracks_[f].Add(legs_[f]);
    else
      tracks_[f].Add(frame, static_cast<int>(f), legs_[f], *ground_, clip_);
    KneeStats& knee = knees_[f];
    const double bend = legs_[f].KneeBend();
    const double speed = std::abs(bend - knee.before) * clip_.frames_per_second;
    if (frames_ == 1) knee.first_speed = speed;
    if (frames_ > 1) knee.speeds.Add(speed);
    knee.before = bend;
    if (frames_ > 0)
      knee.reach_max =
          std::max(knee.reach_max, legs_[f].reach() / tracks_[f].shape().leg_length);
  }
  if (frames_ > 0) ReadSpeeds(pelvis);
  pelvis_before_ = pelvis;
  std::swap(legs_, legs_before_);
  ++frames_;
}

void Planner::ReadSpeeds(Vec3d pelvis) {
  const auto add = [&](Vec3d a, Vec3d b) {
    const double speed = Length(a - b) * clip_.frames_per_second / clip_.units_per_metre;
    if (frames_ == 1)
      first_jump_ = std::max(first_jump_, speed);
    else
      joint_speeds_.Add(speed);
  };
  add(pelvis, pelvis_before_);
  for (size_t f = 0; f < legs_.size(); ++f) {
    add(legs_[f].knee, legs_before_[f].knee);
    add(legs_[f].points[0], legs_before_[f].points[0]);
    add(legs_[f].points[1], legs_before_[f].points[1]);
  }
}

bool Planner::HasReferencePose() const {
  return clip_.lead_in == 0 && frames_ > 3 && first_jump_ > 0.5 &&
         first_jump_ > 3 * joint_speeds_.Percentile(0.99);
}

std::vector<ContactInterval> Planner::FixedIntervals(int foot) const {
  std::vector<ContactInterval> fixed;
  for (const FootContacts& contacts : contacts_) {
    if (contacts.foot != foot) continue;
    for (ContactInterval interval : contacts.intervals) {
      interval.origin = ContactInterval::Origin::kGiven;
      fixed.push_back(std::move(interval));
    }
  }
  for (const FootContacts& contacts : kept_)
    if (contacts.foot == foot)
      for (const ContactInterval& interval : contacts.intervals)
        if (!TouchesAny(interval, fixed)) fixed.push_back(interval);
  return fixed;
}

std::vector<DetectInput> Planner::Inputs(const GroundQuery* fitted, std::int64_t first) const {
  std::vector<DetectInput> inputs(tracks_.size());
  for (size_t f = 0; f < inputs.size(); ++f) {
    DetectInput& input = inputs[f];
    input.clip = &clip_;
    input.settings = &settings_;
    input.fitted = fitted;
    input.callers = ground_;
    input.trusted_ground = ground_ != nullptr || settings_.floor.height.has_value();
    input.first = first;
    input.foot = static_cast<int>(f);
    input.fixed = FixedIntervals(input.foot);
  }
  return inputs;
}

void Planner::AddKneeStats(int foot, FootPlan& plan) const {
  const KneeStats& knee = knees_[foot];
  plan.knee_speed_p99 = static_cast<float>(knee.speeds.Percentile(0.99));
  plan.knee_speed_max = static_cast<float>(knee.speeds.max());
  plan.reach_max = static_cast<float>(knee.reach_max);
}

absl::StatusOr<Plan> Planner::Finish() {
  Plan plan;
  plan.frame_count = frames_ - clip_.lead_in - clip_.lead_out;
  if (plan.frame_count < 1)
    return FieldError(
        "lead_in",
        absl::StrCat("and lead_out are ", clip_.lead_in + clip_.lead_out,
                     " frames together, but ", frames_, " came: none is left to plan"));
  if (clip_.frame_count > 0 && plan.frame_count != clip_.frame_count)
    return FieldError("frame_count", absl::StrCat("is ", clip_.frame_count, ", but ",
                                                  plan.frame_count, " frames came"));
  plan.profile = kDefaultProfile;
  plan.source_sha256 = source_sha256_;
  for (const Joint& joint : clip_.skeleton->joints()) plan.joint_names.push_back(joint.name);
  plan.frames_per_second = clip_.frames_per_second;
  plan.units_per_metre = clip_.units_per_metre;
  plan.up = clip_.up;
  plan.reference_pose = HasReferencePose();
  if (plan.reference_pose)
    plan.notes.push_back("frame 0 is a reference pose: it is kept and left out of statistics");
  plan.settings = settings_;
  const std::int64_t first = plan.reference_pose ? 1 : 0;
  std::unique_ptr<GroundQuery> fitted;
  if (ground_ == nullptr) {
    plan.floor = FitFloor(tracks_, clip_, first, settings_);
    fitted = MakeGround(plan.floor, clip_);
  } else {
    plan.floor.kind = ground_kind_;
    plan.floor.why = "the caller's";
  }
  std::vector<DetectInput> inputs = Inputs(fitted.get(), first);
  const std::vector<Sole> soles = FindSoles(tracks_, inputs);
  // Where one foot stands by its speed, another one that does not is in the air.
  bool stands_by_speed = false;
  for (size_t f = 0; f < tracks_.size(); ++f)
    stands_by_speed =
        stands_by_speed || StandingShare(tracks_[f], inputs[f], soles[f]) >= kLowStandingShare;
  for (DetectInput& input : inputs) input.may_take_height = !stands_by_speed;
  bool planted = false;
  for (size_t f = 0; f < tracks_.size(); ++f) {
    plan.feet.push_back(DetectFoot(tracks_[f], inputs[f], soles[f]));
    if (first == 0 && frames_ > 1) knees_[f].speeds.Add(knees_[f].first_speed);
    AddKneeStats(static_cast<int>(f), plan.feet.back());
    const bool stands = !plan.feet.back().intervals.empty();
    if (!stands) plan.notes.push_back(absl::StrCat(clip_.feet[f].name, " is never planted"));
    planted |= stands;
  }
  if (!planted) plan.notes.push_back("no foot is ever planted: the clip comes back as it is");
  return plan;
}

}  // namespace ikstream
