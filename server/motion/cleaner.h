// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The second of two passes: applies a plan to the frames of its clip (source of the steps:
// server/README.md, "Clean-up").
//
//   auto cleaner = Cleaner::Create(clip, plan, settings, ground);
//   for each batch: cleaner->Push(batch, out);   // out: what is complete by now
//   cleaner->Finish(out);                        // the last lag_frames()
//
// Frames come back with a fixed lag; windows only are in memory. The bits of an answer depend
// on the clip, the plan and the settings alone, not on batches. A joint-frame outside every
// window comes back with the bits that were sent. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/solve.h"
#include "motion/plan.h"
#include "motion/quality.h"

namespace ikstream {

// Cleaned frames, packed as the wire has them; Push and Finish append.
struct CleanBatch {
  struct FootFrames {
    std::vector<float> weights;          // of the contact, 0..1
    std::vector<std::uint8_t> contacts;  // 1: planted
    std::vector<float> residuals;        // ankle to its target, rig units
  };
  std::int64_t first_frame = 0;  // of the clip, without the lead-in
  std::int64_t frames = 0;
  std::vector<float> root_positions;      // 3 per frame
  std::vector<float> local_rotations;     // 4 J per frame
  std::vector<float> local_translations;  // 3 T per frame
  std::vector<float> pelvis_offsets;      // along `up`, rig units
  std::vector<FootFrames> feet;

  // Forgets the frames, keeps the memory.
  void Clear();
};

class Cleaner {
 public:
  // `ground`: terrain or samples, in place of the plan's floor; null: the floor. It must
  // outlive the cleaner. `settings`: those of application; detection is the plan's. Errors:
  // `plan...`, `cleanup...`, `rig.terrain`.
  static absl::StatusOr<std::unique_ptr<Cleaner>> Create(ClipSpec clip, Plan plan,
                                                         CleanupSettings settings,
                                                         const GroundQuery* ground);
  ~Cleaner();

  // Frames by which answers trail.
  std::int64_t lag_frames() const;
  // Whether root positions or local translations of the answer can differ from the input.
  bool moves_root() const;
  // Joints whose rotation can change, ascending.
  std::span<const int> driven_joints() const;

  // REQUIRES: checked frames. Error: more frames than the plan has (`motion`).
  absl::Status Push(const MotionView& motion, CleanBatch& out);
  // Error: fewer frames than the plan has.
  absl::Status Finish(CleanBatch& out);

  // What was done; complete after Finish().
  QualityReport report() const;

 private:
  struct State;
  explicit Cleaner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ikstream
