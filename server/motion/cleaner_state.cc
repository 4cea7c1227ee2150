// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/cleaner_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "motion/floor_fit.h"

namespace ikstream {
namespace {

// The nearest joint at or above the pelvis that the motion translates; -1: the root itself.
int FindCarrier(const ClipSpec& clip, int pelvis) {
  const auto& translated = clip.translated_joints;
  for (int i = pelvis; i != clip.skeleton->root(); i = clip.skeleton->joint(i).parent)
    if (std::find(translated.begin(), translated.end(), i) != translated.end()) return i;
  return -1;
}

absl::Status CheckGround(const Plan& plan, const GroundQuery* ground) {
  const bool own =
      plan.floor.kind == Floor::Kind::kPlane || plan.floor.kind == Floor::Kind::kRolling;
  if (own || ground != nullptr) return absl::OkStatus();
  return FieldError("rig.terrain",
                    "is unset, but the plan was made on terrain or samples: send them again");
}

// The tracks of local_translations that hold a leg's bones, per foot; needed to stretch them.
absl::StatusOr<std::vector<std::vector<size_t>>> BoneTracks(const ClipSpec& clip) {
  std::vector<std::vector<size_t>> out;
  const auto& translated = clip.translated_joints;
  for (const Foot& foot : clip.feet) {
    out.emplace_back();
    for (int joint : clip.skeleton->Path(foot.hip_joint, foot.ankle_joint)) {
      if (joint == foot.hip_joint) continue;
      const auto found = std::find(translated.begin(), translated.end(), joint);
      if (found == translated.end())
        return FieldError(
            "cleanup.leg.max_stretch",
            absl::StrCat("is set, but the motion has no translations of joint ",
                         clip.skeleton->joint(joint).name, ": its bone cannot lengthen"));
      out.back().push_back(static_cast<size_t>(found - translated.begin()));
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Cleaner::State>> Cleaner::State::Create(
    ClipSpec clip, Plan plan, CleanupSettings settings, const GroundQuery* ground) {
  if (clip.feet.empty())
    return FieldError("rig.feet", "is empty and no legs were found: name hip and ankle joints");
  if (absl::Status status = ValidateSettings(settings); !status.ok())
    return Under("cleanup", status);
  if (absl::Status status = ValidatePlan(plan, clip); !status.ok())
    return Under("plan", status);
  if (absl::Status status = CheckGround(plan, ground); !status.ok()) return status;
  auto s = std::make_unique<State>();
  s->clip = std::move(clip);
  s->plan = std::move(plan);
  s->clip.units_per_metre = s->plan.units_per_metre;
  s->settings = WithDefaults(settings);
  const bool callers = ground != nullptr;
  const bool trusted = ground != nullptr || s->plan.settings.floor.height.has_value();
  if (*s->settings.leg.max_stretch > 0) {
    auto tracks = BoneTracks(s->clip);
    if (!tracks.ok()) return tracks.status();
    s->bone_tracks = *std::move(tracks);
  }
  if (ground == nullptr) {
    s->floor = MakeGround(s->plan.floor, s->clip);
    ground = s->floor.get();
  }
  s->total = s->clip.lead_in + s->plan.frame_count + s->clip.lead_out;
  s->tracker = std::make_unique<LegTracker>(s->clip);
  s->pelvis = std::make_unique<Pelvis>(s->clip, s->settings, trusted, s->total, 0);
  s->place_lag = FootCleaner::PlaceLag(s->clip, s->plan);
  const auto shapes = s->tracker->shapes();
  for (size_t f = 0; f < shapes.size(); ++f)
    s->feet.emplace_back(s->clip, s->plan.feet[f], shapes[f], static_cast<int>(f), s->settings,
                         ground, trusted, callers, s->total, s->place_lag,
                         s->pelvis->smooth_lag());
  auto solver =
      LegSolver::Create(s->clip, s->settings, shapes, s->settings.sole.align.value_or(callers));
  if (!solver.ok()) return solver.status();
  s->solver = std::move(*solver);
  s->report = std::make_unique<CleanReport>(s->clip, s->plan, shapes, s->settings,
                                            s->solver->driven_joints());
  s->pelvis_carrier = FindCarrier(s->clip, s->tracker->pelvis_joint());
  const auto& translated = s->clip.translated_joints;
  if (s->pelvis_carrier >= 0)
    s->carrier_track =
        static_cast<size_t>(std::find(translated.begin(), translated.end(), s->pelvis_carrier) -
                            translated.begin());
  s->raw = std::make_unique<FrameRing<Raw>>(s->lag() + 2);
  s->legs.resize(shapes.size());
  return s;
}

std::int64_t Cleaner::State::lag() const {
  return place_lag + feet.front().blend_lag() + feet.front().lift_lag() + pelvis->smooth_lag();
}

void Cleaner::State::Read(const PoseView& pose) {
  Raw& frame = (*raw)[read];
  const auto joints = static_cast<size_t>(clip.skeleton->size());
  frame.root.assign(pose.root_position, pose.root_position + 3);
  frame.rotations.assign(pose.local_rotations, pose.local_rotations + 4 * joints);
  if (pose.local_translations != nullptr)
    frame.translations.assign(pose.local_translations,
                              pose.local_translations + 3 * clip.translated_joints.size());
  frame.pelvis = tracker->Read(pose, legs);
  if (pelvis_carrier >= 0) frame.carrier_parent = tracker->ParentRotation(pelvis_carrier);
  const bool reference = plan.reference_pose && read == clip.lead_in;
  for (size_t f = 0; f < feet.size(); ++f) {
    feet[f].Read(read, legs[f]);
    if (reference) feet[f].LeaveOut(read);
  }
  ++read;
}

// A frame of each stage in turn: no stage may run ahead by more than its lag, not even at the
// end of the stream, since the windows hold no more.
void Cleaner::State::Advance() {
  const auto ready = [&](std::int64_t done, std::int64_t lag, std::int64_t above) {
    return done < total && (done + lag < above || above == total);
  };
  const std::int64_t blend_lag = feet.front().blend_lag(), lift_lag = feet.front().lift_lag();
  for (bool moved = true; moved;) {
    moved = false;
    if (ready(placed, place_lag, read)) {
      for (FootCleaner& foot : feet) foot.Place(placed);
      ++placed, moved = true;
    }
    if (ready(blended, blend_lag, placed)) {
      for (FootCleaner& foot : feet) foot.Blend(blended);
      ++blended, moved = true;
    }
    if (ready(lifted, lift_lag, blended)) {
      for (FootCleaner& foot : feet) foot.Lift(lifted);
      pelvis->Need(lifted, feet);
      ++lifted, moved = true;
    }
    if (ready(emitted, pelvis->smooth_lag(), lifted)) {
      Emit(emitted);
      ++emitted, moved = true;
    }
  }
}

void Cleaner::State::Emit(std::int64_t i) {
  const std::int64_t clip_frame = i - clip.lead_in;
  const Vec3d smooth = pelvis->Offset(i);
  if (clip_frame < 0 || clip_frame >= plan.frame_count) return;
  const Raw& frame = (*raw)[i];
  if (run.frames == 0) run.first = clip_frame;
  const bool kept = plan.reference_pose && clip_frame == 0;
  const Vec3d offset = kept ? Vec3d{} : smooth;
  std::vector<float> root = frame.root, translations = frame.translations;
  if (offset != Vec3d{}) {
    float* moved = pelvis_carrier < 0 ? root.data() : &translations[3 * carrier_track];
    const Vec3d local =
        pelvis_carrier < 0 ? offset : Rotate(Conjugate(frame.carrier_parent), offset);
    Store(Cast<float>(Cast<double>(LoadVec3(moved)) + local), moved);
  }
  for (size_t f = 0; f < feet.size(); ++f) {
    FootFrame foot = feet[f].at(i);
    foot.lift = foot.LiftOver(pelvis->raised());
    if (kept) foot.shift = {}, foot.lift = 0, foot.tilt = {};
    Stretch(f, offset, foot, translations);
    solver->Add(static_cast<int>(f), foot, offset);
    run.feet.push_back(foot);
  }
  run.roots.insert(run.roots.end(), root.begin(), root.end());
  run.translations.insert(run.translations.end(), translations.begin(), translations.end());
  run.rotations.insert(run.rotations.end(), frame.rotations.begin(), frame.rotations.end());
  run.offsets.push_back(static_cast<float>(Dot(offset, clip.up_vector())));
  run.pelvis_before.push_back(frame.pelvis);
  ++run.frames;
}

// Lengthens a leg's bones where its target is out of reach.
void Cleaner::State::Stretch(size_t f, Vec3d pelvis_offset, FootFrame& foot,
                             std::vector<float>& translations) const {
  const double most = *settings.leg.max_stretch;
  if (most <= 0 || !(foot.moved() || pelvis_offset != Vec3d{})) return;
  const double asked = Length(foot.Target(clip.up_vector()) - foot.leg.hip - pelvis_offset);
  const double reached = ZoneOf(foot, feet[f].shape(), settings).Soften(asked);
  foot.stretch = std::clamp(asked / std::max(reached, 1e-9), 1.0, 1 + most);
  if (foot.stretch == 1) return;
  for (size_t track : bone_tracks[f]) {
    float* bone = &translations[3 * track];
    Store(LoadVec3(bone) * static_cast<float>(foot.stretch), bone);
  }
}

void Cleaner::State::Flush(CleanBatch& out) {
  if (run.frames == 0) return;
  if (out.frames == 0) out.first_frame = run.first;
  out.feet.resize(feet.size());
  run.solved.resize(run.rotations.size());
  const MotionView motion{static_cast<int>(run.frames), run.roots.data(), run.rotations.data(),
                          run.translations.empty() ? nullptr : run.translations.data()};
  solver->Solve(motion, run.solved.data());
  MeasureRun(out);
  AppendRun(out);
  run.roots.clear(), run.rotations.clear(), run.translations.clear(), run.offsets.clear();
  run.pelvis_before.clear(), run.feet.clear();
  run.frames = 0;
}

void Cleaner::State::AppendRun(CleanBatch& out) const {
  const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(out.root_positions, run.roots);
  append(out.local_rotations, run.solved);
  append(out.local_translations, run.translations);
  append(out.pelvis_offsets, run.offsets);
  out.frames += run.frames;
}

void Cleaner::State::MeasureRun(CleanBatch& out) {
  const auto joints = static_cast<std::int64_t>(clip.skeleton->size());
  const auto count = static_cast<std::int64_t>(feet.size());
  const auto translated = static_cast<std::int64_t>(clip.translated_joints.size());
  for (std::int64_t i = 0; i < run.frames; ++i) {
    CleanedFrame frame;
    frame.clip_frame = run.first + i;
    frame.rotations_before = &run.rotations[4 * joints * i];
    frame.rotations_after = &run.solved[4 * joints * i];
    frame.feet = {&run.feet[count * i], feet.size()};
    frame.pelvis_before = run.pelvis_before[i];
    frame.pelvis_after = tracker->Read(
        {&run.roots[3 * i], frame.rotations_after,
         run.translations.empty() ? nullptr : &run.translations[3 * translated * i]},
        legs);
    frame.legs_after = legs;
    const bool reference = plan.reference_pose && frame.clip_frame == 0;
    if (!reference) report->Add(frame);
    for (std::int64_t f = 0; f < count; ++f) {
      const FootFrame& foot = frame.feet[f];
      const int index = static_cast<int>(f);
      if (solver->limited(index, i)) report->NoteLimit();
      const double missed =
          solver->moved(index, i) ? Length(foot.Target(clip.up_vector()) - legs[f].ankle()) : 0;
      out.feet[f].weights.push_back(static_cast<float>(foot.weight));
      out.feet[f].contacts.push_back(foot.planted ? 1 : 0);
      out.feet[f].residuals.push_back(static_cast<float>(missed));
    }
  }
}

}  // namespace ikstream
