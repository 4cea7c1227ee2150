// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/trace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/chain_state.h"
#include "core/field_error.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

// Solving from scratch with 1, 2, 3 ... iterations shows what each one adds, by the same code
// that answers: more iterations only go on where fewer stopped.
class Tracer {
 public:
  Tracer(const Rig& rig, Chain chain, const MotionView& motion, const ChainTargets& targets,
         const std::function<bool()>& stop)
      : rig_(rig), chain_(std::move(chain)), motion_(motion), targets_(targets), stop_(stop) {
    motion_.frames = 1;
    targets_.weights = {};
    pose_.resize(4 * static_cast<size_t>(rig.skeleton().size()));
    translations_.resize(3 * rig.translated_joints().size());
  }

  absl::StatusOr<SolveTrace> Run() {
    const int most = chain_.spec.max_iterations;
    Start();
    AddStep();
    for (int i = 1; i <= most; ++i) {
      if (stop_()) return absl::CancelledError("the trace was stopped");
      const std::int32_t iterations = SolveWith(i);
      if (iterations < i && i > 1) break;
      AddStep();
      if (iterations < i) break;
    }
    const auto start = std::chrono::steady_clock::now();
    SolveWith(most);
    trace_.solve_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    trace_.joints = chain_.turned;
    for (std::ptrdiff_t at : chain_.pose_offsets)
      trace_.local_rotations.insert(trace_.local_rotations.end(), pose_.begin() + at,
                                    pose_.begin() + at + 4);
    return std::move(trace_);
  }

 private:
  void Start() {
    std::copy_n(motion_.local_rotations, pose_.size(), pose_.begin());
    std::copy_n(motion_.local_translations, translations_.size(), translations_.begin());
    Forward();
    target_ = targets_.positions ? Cast<double>(LoadVec3(targets_.positions.at(0))) : End();
  }

  std::int32_t SolveWith(int iterations) {
    std::copy_n(motion_.local_rotations, pose_.size(), pose_.begin());
    Chain chain = chain_;
    chain.spec.max_iterations = iterations;
    std::int32_t used = 0;
    ChainResults results;
    results.statuses = &trace_.status;
    results.iterations = &used;
    LaneSpace space;
    MotionView motion = motion_;
    std::copy_n(motion_.local_translations, translations_.size(), translations_.begin());
    motion.local_translations = translations_.data();
    ChainState(rig_, chain)
        .Solve(motion, targets_, pose_.data(), translations_.data(), results, space);
    Forward();
    return used;
  }

  void Forward() {
    ForwardKinematics(rig_.skeleton(),
                      {motion_.root_positions, pose_.data(), translations_.data()},
                      rig_.translated_joints(), model_);
  }

  Vec3d End() const {
    const Vec3d end = model_.positions[chain_.spec.end_joint];
    if (!chain_.spec.tip_offset) return end;
    return end + Rotate(model_.rotations[chain_.spec.end_joint],
                        Cast<double>(*chain_.spec.tip_offset));
  }

  // The distance to the target: of the end, or of the ray from it.
  double Error() const {
    const Vec3d u = target_ - End();
    if (!chain_.aims()) return Length(u);
    const Vec3d axis =
        Rotate(model_.rotations[chain_.spec.end_joint], Cast<double>(chain_.aim_axis));
    return Dot(axis, u) > 0 ? Length(Cross(axis, u)) : Length(u);
  }

  void AddStep() {
    trace_.errors.push_back(static_cast<float>(Error()));
    for (int joint : chain_.driven) AddPosition(model_.positions[joint]);
    AddPosition(End());
    std::int32_t clamps = 0;
    for (size_t k = 0; k < chain_.driven.size(); ++k)
      clamps += AtLimit(chain_.bounds[k], LoadQuat(pose_.data() + chain_.pose_offsets[k]));
    trace_.clamps.push_back(clamps);
  }

  void AddPosition(Vec3d p) {
    for (double x : {p.x, p.y, p.z}) trace_.positions.push_back(static_cast<float>(x));
  }

  const Rig& rig_;
  const Chain chain_;
  MotionView motion_;
  ChainTargets targets_;
  const std::function<bool()>& stop_;
  std::vector<float> pose_, translations_;
  ModelPose model_;
  Vec3d target_;
  SolveTrace trace_;
};

}  // namespace

absl::StatusOr<SolveTrace> TraceSolve(const Rig& rig, int chain, absl::string_view solver,
                                      const MotionView& motion, const ChainTargets& targets,
                                      const std::function<bool()>& stop) {
  const auto chains = rig.chains();
  if (chain < 0 || chain >= static_cast<int>(chains.size()))
    return FieldError("chain",
                      absl::StrCat(chain, " is out of range [0, ", chains.size(), ")"));
  Chain copy = chains[static_cast<size_t>(chain)];
  if (!solver.empty()) {
    copy.solver = FindSolver(solver);
    if (copy.solver < 0)
      return FieldError("solver", absl::StrCat("\"", solver, "\" is no solver"));
    const auto& entry = SolverEntries()[static_cast<size_t>(copy.solver)];
    if ((entry.kind == SolverKind::kAim) != copy.aims())
      return FieldError("solver", absl::StrCat("\"", solver, "\" does not fit the chain: ",
                                               copy.aims() ? "it aims" : "it does not aim"));
    if (auto status = CheckFit(entry, copy); !status.ok()) return status;
  }
  if (SolverEntries()[static_cast<size_t>(copy.solver)].kind == SolverKind::kBody)
    return FieldError("solver", "\"body\" solves a whole group; trace the chain by another");
  return Tracer(rig, std::move(copy), motion, targets, stop).Run();
}

}  // namespace ikstream
