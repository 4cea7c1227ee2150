// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/trace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/body_state.h"
#include "core/chain_state.h"
#include "core/field_error.h"
#include "core/solve.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

// One frame of one chain, solved from scratch with up to so many iterations.
class Attempt {
 public:
  virtual ~Attempt() = default;
  virtual void Solve(int iterations, const MotionView& motion, float* pose, float* root,
                     float* translations, const ChainResults& results) = 0;
  // The joints that it turns.
  virtual std::vector<int> Turned() const = 0;
};

class ChainAttempt final : public Attempt {
 public:
  ChainAttempt(const Rig& rig, const Chain& chain, const ChainTargets& targets)
      : rig_(rig), chain_(chain), targets_(targets) {
    targets_.weights = {};
  }

  void Solve(int iterations, const MotionView& motion, float* pose, float*, float* translations,
             const ChainResults& results) override {
    Chain chain = chain_;
    chain.spec.max_iterations = iterations;
    LaneSpace space;
    ChainState(rig_, chain).Solve(motion, targets_, pose, translations, results, space);
  }
  std::vector<int> Turned() const override { return chain_.turned; }

 private:
  const Rig& rig_;
  const Chain& chain_;
  ChainTargets targets_;
};

// A chain with all the others of its group.
class GroupAttempt final : public Attempt {
 public:
  GroupAttempt(const Rig& rig, int chain, std::span<const ChainTargets> targets)
      : rig_(rig),
        chain_(static_cast<size_t>(chain)),
        group_(rig.groups()[static_cast<size_t>(rig.chains()[chain_].group)]),
        targets_(targets.begin(), targets.end()) {
    for (size_t c = 0; c < targets_.size(); ++c) {
      const bool off = targets_[c].weights && !(*targets_[c].weights.at(0) > 0);
      targets_[c].weights = {off && c != chain_ ? &kOff : &kOn, 0};
    }
  }

  void Solve(int iterations, const MotionView& motion, float* pose, float* root,
             float* translations, const ChainResults& results) override {
    BodyGroup group = group_;
    group.max_iterations = iterations;
    std::vector<ChainResults> all(targets_.size());
    all[chain_] = results;
    LaneSpace space;
    BodyState(rig_, group).Solve(motion, targets_, pose, root, translations, all, space);
  }
  std::vector<int> Turned() const override {
    std::vector<int> joints;
    for (int node : group_.turned) joints.push_back(group_.nodes[node].joint);
    return joints;
  }

 private:
  static constexpr float kOff = 0, kOn = 1;

  const Rig& rig_;
  const size_t chain_;
  const BodyGroup& group_;
  std::vector<ChainTargets> targets_;
};

// Solving from scratch with 1, 2, 3 ... iterations shows what each one adds, by the same code
// that answers: more iterations only go on where fewer stopped.
class Tracer {
 public:
  Tracer(const Rig& rig, const Chain& chain, const MotionView& motion,
         const ChainTargets& targets, Attempt& attempt, const std::function<bool()>& stop)
      : rig_(rig),
        chain_(chain),
        motion_(motion),
        targets_(targets),
        attempt_(attempt),
        stop_(stop) {
    motion_.frames = 1;
    pose_.resize(4 * static_cast<size_t>(rig.skeleton().size()));
    translations_.resize(3 * rig.translated_joints().size());
  }

  absl::StatusOr<SolveTrace> Run(int most) {
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
    trace_.joints = attempt_.Turned();
    for (int joint : trace_.joints)
      trace_.local_rotations.insert(trace_.local_rotations.end(), pose_.begin() + 4L * joint,
                                    pose_.begin() + 4L * joint + 4);
    if (rig_.moves_root()) trace_.root = LoadVec3(root_);
    return std::move(trace_);
  }

 private:
  void Start() {
    Restore();
    Forward();
    target_ = targets_.positions ? Cast<double>(LoadVec3(targets_.positions.at(0))) : End();
  }

  void Restore() {
    std::copy_n(motion_.local_rotations, pose_.size(), pose_.begin());
    std::copy_n(motion_.local_translations, translations_.size(), translations_.begin());
    std::copy_n(motion_.root_positions, 3, root_);
  }

  std::int32_t SolveWith(int iterations) {
    Restore();
    std::int32_t used = 0;
    ChainResults results;
    results.statuses = &trace_.status;
    results.iterations = &used;
    MotionView motion = motion_;
    motion.root_positions = root_;
    motion.local_translations = translations_.data();
    attempt_.Solve(iterations, motion, pose_.data(), root_, translations_.data(), results);
    Forward();
    return used;
  }

  void Forward() {
    ForwardKinematics(rig_.skeleton(), {root_, pose_.data(), translations_.data()},
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
  const Chain& chain_;
  MotionView motion_;
  const ChainTargets targets_;
  Attempt& attempt_;
  const std::function<bool()>& stop_;
  std::vector<float> pose_, translations_;
  float root_[3] = {};
  ModelPose model_;
  Vec3d target_;
  SolveTrace trace_;
};

bool IsBody(const Chain& chain) {
  return SolverEntries()[static_cast<size_t>(chain.solver)].kind == SolverKind::kBody;
}

// Takes another solver for the chain.
absl::Status Change(absl::string_view solver, Chain& chain) {
  chain.solver = FindSolver(solver);
  if (chain.solver < 0)
    return FieldError("solver", absl::StrCat("\"", solver, "\" is no solver"));
  const auto& entry = SolverEntries()[static_cast<size_t>(chain.solver)];
  if ((entry.kind == SolverKind::kAim) != chain.aims())
    return FieldError("solver", absl::StrCat("\"", solver, "\" does not fit the chain: ",
                                             chain.aims() ? "it aims" : "it does not aim"));
  if (entry.kind == SolverKind::kBody && chain.group < 0)
    return FieldError("solver", "\"body\" does not fit the chain: it is of no group");
  return CheckFit(entry, chain);
}

}  // namespace

absl::StatusOr<SolveTrace> TraceSolve(const Rig& rig, int chain, absl::string_view solver,
                                      const MotionView& motion,
                                      std::span<const ChainTargets> targets,
                                      const std::function<bool()>& stop) {
  const auto chains = rig.chains();
  if (chain < 0 || chain >= static_cast<int>(chains.size()))
    return FieldError("chain",
                      absl::StrCat(chain, " is out of range [0, ", chains.size(), ")"));
  const auto index = static_cast<size_t>(chain);
  Chain copy = chains[index];
  if (!solver.empty())
    if (absl::Status status = Change(solver, copy); !status.ok()) return status;
  std::unique_ptr<Attempt> attempt;
  int most = copy.spec.max_iterations;
  if (IsBody(copy)) {
    attempt = std::make_unique<GroupAttempt>(rig, chain, targets);
    most = rig.groups()[static_cast<size_t>(copy.group)].max_iterations;
  } else {
    attempt = std::make_unique<ChainAttempt>(rig, copy, targets[index]);
  }
  return Tracer(rig, copy, motion, targets[index], *attempt, stop).Run(most);
}

}  // namespace ikstream
