// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/cleaner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"
#include "motion/cleaner_state.h"

namespace ikstream {
namespace {

// Frames solved at a time: enough to fill the solver's lanes, few enough to stay in cache.
constexpr std::int64_t kRunFrames = 64;

}  // namespace

void CleanBatch::Clear() {
  first_frame += frames;
  frames = 0;
  root_positions.clear();
  local_rotations.clear();
  local_translations.clear();
  pelvis_offsets.clear();
  for (FootFrames& foot : feet) {
    foot.weights.clear();
    foot.contacts.clear();
    foot.residuals.clear();
  }
}

absl::StatusOr<std::unique_ptr<Cleaner>> Cleaner::Create(ClipSpec clip, Plan plan,
                                                         CleanupSettings settings,
                                                         const GroundQuery* ground) {
  auto state = State::Create(std::move(clip), std::move(plan), settings, ground);
  if (!state.ok()) return state.status();
  return std::unique_ptr<Cleaner>(new Cleaner(std::move(*state)));
}

Cleaner::Cleaner(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cleaner::~Cleaner() = default;

std::int64_t Cleaner::lag_frames() const { return state_->lag(); }
bool Cleaner::moves_root() const { return true; }
std::span<const int> Cleaner::driven_joints() const { return state_->solver->driven_joints(); }
QualityReport Cleaner::report() const { return state_->report->Result(); }

absl::Status Cleaner::Push(const MotionView& motion, CleanBatch& out) {
  State& s = *state_;
  if (s.read + motion.frames > s.total)
    return FieldError("motion",
                      absl::StrCat("holds more frames than the plan's ", s.plan.frame_count));
  const std::int64_t joints = s.clip.skeleton->size();
  const auto translated = static_cast<std::int64_t>(s.clip.translated_joints.size());
  for (std::int64_t i = 0; i < motion.frames; ++i) {
    s.Read({motion.root_positions + 3 * i, motion.local_rotations + 4 * joints * i,
            motion.local_translations == nullptr
                ? nullptr
                : motion.local_translations + 3 * translated * i});
    s.Advance();
    if (s.run.frames >= kRunFrames) s.Flush(out);
  }
  s.Flush(out);
  return absl::OkStatus();
}

absl::Status Cleaner::Finish(CleanBatch& out) {
  State& s = *state_;
  if (s.read < s.total)
    return FieldError("plan.frame_count",
                      absl::StrCat("is ", s.plan.frame_count, ", but only ",
                                   s.read - s.clip.lead_in, " frames came"));
  s.Flush(out);
  return absl::OkStatus();
}

}  // namespace ikstream
