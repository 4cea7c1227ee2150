// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Solves the chains of a rig over batches of packed frames.
//
//   Solver solver(rig);                       // one per stream or per worker; not thread-safe
//   solver.Solve(motion, targets, rotations, results);
//
// The lanes of the solve are stateless; what is carried from frame to frame (the side of a
// bend, the sign of a correction) lives in the Solver, so that batches of any size give the
// same bits. Source of the rules: proto/ikstream/v1 and server/README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "absl/strings/string_view.h"
#include "core/rig.h"

namespace ikstream {

// Numbers equal those of ikstream.v1.ChainResult.Status.
enum class SolveStatus : std::uint8_t {
  kConverged = 1,
  kUnreachable = 2,
  kTooClose = 3,
  kLimited = 4,
  kStalled = 5,
  kIterationLimit = 6,
  kSkipped = 7,
};

// F frames of packed motion. Frame-major, within kMaxCoordinate, unit quaternions: checked by
// the caller, for tracks too.
struct MotionView {
  int frames = 0;
  const float* root_positions = nullptr;      // 3 F
  const float* local_rotations = nullptr;     // 4 J F, x y z w
  const float* local_translations = nullptr;  // 3 T F, or null where T = 0
};

// Values per frame: `stride` floats apart; stride 0 repeats the first; null data = default.
struct Track {
  const float* data = nullptr;
  int stride = 0;

  const float* at(int frame) const { return data + static_cast<std::int64_t>(stride) * frame; }
  explicit operator bool() const { return data != nullptr; }
};

// What one chain is asked for, in the space of root_positions.
struct ChainTargets {
  Track positions;  // 3; default: where the input's end is, limits or not
  Track rotations;  // 4; default: none
  Track weights;    // 1; default: 1
  Track poles;      // 3; default: Pole::value
};

// Where the answers of one chain go: F values each. Null pointers are not written.
struct ChainResults {
  SolveStatus* statuses = nullptr;
  std::int32_t* iterations = nullptr;
  float* residuals = nullptr;        // distance of the output's end to the asked target
  float* residual_angles = nullptr;  // radians to the rotation target
  // rad/s in the parents' frames, 3 per joint of Chain::turned and frame, frame-major: leads
  // from the answer before to this one. Needs RigSpec::frames_per_second.
  float* angular_velocities = nullptr;
  float* collider_depths = nullptr;  // of the output's deepest bone inside a collider
};

class Solver {
 public:
  explicit Solver(std::shared_ptr<const Rig> rig);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  // Reads F frames and writes F frames of local rotations, 4 J F floats: driven joints solved,
  // all others as they came, bit for bit. `rotations_out` must not overlap the input.
  // `targets` and `results` hold one entry per chain. Where Rig::moves_root(), `roots_out` (3 F
  // floats, or null) gets the moved root positions, else those that came; `translations_out`
  // (3 T F floats, or null) gets the translations where Rig::stretches(). Where
  // Rig::frames_together() is not 1, a batch ends with a frame whose index divides by it, else
  // its last frame is solved as well.
  void Solve(const MotionView& motion, std::span<const ChainTargets> targets,
             float* rotations_out, std::span<const ChainResults> results,
             float* roots_out = nullptr, float* translations_out = nullptr);

  // Forgets what was carried over, as if no frame had been solved. The next frame has index
  // `first_frame`, by which ChainSpec::solve_every counts; 0 after construction.
  void Reset(std::int64_t first_frame = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The CPU target in use, e.g. "AVX3": the same target gives the same bits.
const char* CpuTarget();
// Pins the target. Call while nothing is solved. Error: names what this build has for this CPU.
absl::Status PinCpuTarget(absl::string_view name);

// The solvers by name, in the order of their listing.
struct SolverText {
  const char* name;
  const char* text;
};
std::span<const SolverText> Solvers();
// The index of a name in Solvers(), -1 where there is none.
int FindSolver(absl::string_view name);

}  // namespace ikstream
