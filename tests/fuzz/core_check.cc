// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/core_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuzz/target.h"
#include "unit/core/reference.h"

namespace ikstream::fuzz {
namespace {

float WeightOf(const ChainTargets& targets, int frame) {
  return targets.weights ? *targets.weights.at(frame) : 1.0f;
}

bool Contains(const std::vector<int>& list, int joint) {
  return std::find(list.begin(), list.end(), joint) != list.end();
}

bool IsBody(const Chain& chain) { return chain.spec.solver == "body"; }

// Whether a chain turns a joint that the other one stands on or turns. Chains of a group are
// solved together.
bool Disturbs(const Chain& chain, const Chain& other) {
  if (chain.group >= 0 && chain.group == other.group) return false;
  // A body moves the root.
  return IsBody(chain) || std::any_of(chain.turned.begin(), chain.turned.end(), [&](int joint) {
           return Contains(other.prefix, joint) || Contains(other.turned, joint);
         });
}

// One chain of a solved scene, frame by frame.
class ChainCheck {
 public:
  ChainCheck(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers, size_t index)
      : rig_(rig),
        scene_(scene),
        answers_(answers),
        index_(index),
        chain_(rig.chains()[index]),
        targets_(TargetsOf(scene.chains[index], scene.frames, 0)) {
    for (size_t i = 0; i < rig.chains().size(); ++i)
      alone_ = alone_ && (i == index || !Disturbs(rig.chains()[i], chain_));
  }

  void Run() {
    for (frame_ = 0; frame_ < scene_.frames; ++frame_) CheckFrame();
  }

 private:
  const float* Rotations(const std::vector<float>& all) const {
    return all.data() + 4 * rig_.skeleton().size() * frame_;
  }

  ModelPose Pose(const float* rotations, const std::vector<float>& roots) const {
    ModelPose pose;
    const MotionView motion = MotionOf(scene_, rig_, frame_, 1);
    ForwardKinematics(rig_.skeleton(),
                      {roots.data() + 3 * frame_, rotations, motion.local_translations},
                      rig_.translated_joints(), pose);
    return pose;
  }
  ModelPose In() const { return Pose(Rotations(scene_.rotations), scene_.roots); }
  ModelPose Out() const { return Pose(Rotations(answers_.rotations), answers_.roots); }

  Vec3d End(const ModelPose& pose) const {
    const ChainSpec& spec = chain_.spec;
    const Vec3d at = pose.positions[spec.end_joint];
    if (!spec.tip_offset) return at;
    return at + Rotate(pose.rotations[spec.end_joint], Cast<double>(*spec.tip_offset));
  }

  void CheckFrame() {
    const ChainAnswers& told = answers_.chains[index_];
    const auto f = static_cast<size_t>(frame_);
    where_ = absl::StrCat(chain_.spec.solver, ", chain ", index_, ", frame ", frame_, ": ");
    Require(std::isfinite(told.residuals[f]) && std::isfinite(told.angles[f]), where_,
            "a residual is not finite");
    Require(told.iterations[f] >= 0 && told.iterations[f] <= chain_.spec.max_iterations, where_,
            told.iterations[f], " iterations");
    Require((told.statuses[f] == SolveStatus::kSkipped) == (WeightOf(targets_, frame_) <= 0),
            where_, "SKIPPED is for weight 0");
    if (alone_ || targets_.positions) CheckResiduals(told.residuals[f], told.angles[f]);
    if (!alone_) return;
    if (WeightOf(targets_, frame_) < 1) return;
    CheckLimits();
    CheckNoWorse(told.statuses[f]);
  }

  // What rounding to float may add to a distance in this frame.
  double Rounding(Vec3d target, const ModelPose& pose) const {
    const Vec3d root = Cast<double>(LoadVec3(scene_.roots.data() + 3 * frame_));
    double size = Length(target - root) + Length(root) + Length(target);
    for (int joint : chain_.prefix) size += Length(pose.positions[joint] - root);
    return 2e-5 * chain_.length + 2e-6 * size;
  }

  void CheckResiduals(float residual, float angle) const {
    if (chain_.aims()) return;  // its residual is that of its line of sight
    const ModelPose in = In(), out = Out();
    const Vec3d target =
        targets_.positions ? Cast<double>(LoadVec3(targets_.positions.at(frame_))) : End(in);
    const double error = Length(End(out) - target);
    Require(std::abs(error - residual) <= Rounding(target, out), where_, "residual ", residual,
            " where ", error, " is measured, length ", chain_.length);
    const auto end = static_cast<size_t>(chain_.spec.end_joint);
    double off = 0;
    if (targets_.rotations)
      off = AngleBetween(out.rotations[end],
                         Normalized(Cast<double>(LoadQuat(targets_.rotations.at(frame_)))));
    else if (chain_.spec.keep_end_rotation && alone_)
      off = AngleBetween(out.rotations[end], in.rotations[end]);
    else if (chain_.spec.keep_end_rotation)
      return;  // what was kept is what the chains before had left
    Require(std::abs(off - angle) <= 2e-4, where_, "residual angle ", angle, " where ", off,
            " is measured");
  }

  bool HasGoal() const {
    return static_cast<bool>(targets_.rotations) || chain_.spec.keep_end_rotation;
  }

  Quatd Local(const float* rotations, size_t k) const {
    return Normalized(Cast<double>(LoadQuat(rotations + 4 * chain_.turned[k])));
  }
  Quatd Rest(size_t k) const {
    return Cast<double>(rig_.skeleton().joint(chain_.turned[k]).rest);
  }

  void CheckLimits() const {
    for (size_t k = 0; k < chain_.driven.size(); ++k) {
      const double outside =
          Outside(rig_.limit(chain_.turned[k]), Rest(k), Cast<double>(chain_.axes[k]),
                  Local(Rotations(answers_.rotations), k));
      Require(outside <= 1e-4, where_, "joint ", chain_.turned[k], " is ", outside,
              " rad outside its limit");
    }
  }

  // Where the chain should end: the target, drawn in by soft reach.
  Vec3d Wanted(const ModelPose& pose) const {
    const Vec3d target = Cast<double>(LoadVec3(targets_.positions.at(frame_)));
    if (!chain_.spec.soft_reach) return target;
    double reach = 0;
    for (size_t k = 1; k < chain_.turned.size(); ++k)
      reach += Length(pose.positions[chain_.turned[k]] - pose.positions[chain_.turned[k - 1]]);
    if (chain_.spec.tip_offset) reach += Length(Cast<double>(*chain_.spec.tip_offset));
    const double cap = reach * chain_.spec.soft_reach->cap,
                 zone = reach * chain_.spec.soft_reach->zone;
    const Vec3d root = pose.positions[chain_.spec.root_joint];
    const double distance = Length(target - root);
    if (distance <= cap - zone || distance <= 0) return target;
    const double drawn = cap - zone * std::exp(-(distance - (cap - zone)) / zone);
    return root + (target - root) * (drawn / distance);
  }

  // Position is no farther from the target than the input clamped into its limits. A rotation
  // target has a say in where a tip can be, and the other ends of a body in where this one can:
  // such chains are left to other tests.
  void CheckNoWorse(SolveStatus status) const {
    if (!targets_.positions || HasGoal() || chain_.aims() || IsBody(chain_)) return;
    std::vector<float> start(
        Rotations(scene_.rotations),
        Rotations(scene_.rotations) + 4 * static_cast<size_t>(rig_.skeleton().size()));
    bool clamped = false;
    for (size_t k = 0; k < chain_.driven.size(); ++k) {
      const Quatd sent = Local(start.data(), k);
      const auto in = NearestInside(rig_.limit(chain_.turned[k]), Rest(k),
                                    Cast<double>(chain_.axes[k]), sent);
      if (!in) return;
      clamped = clamped || !(*in == sent);
      Store(Cast<float>(*in), start.data() + 4 * chain_.turned[k]);
    }
    const ModelPose out = Out();
    const Vec3d wanted = Wanted(out);
    const double error = Length(End(out) - wanted);
    const double slack =
        Rounding(wanted, out) + (clamped ? 1e-3 : 0) * static_cast<double>(chain_.length);
    const double before = Length(End(Pose(start.data(), scene_.roots)) - wanted);
    Require(error <= before + slack, where_, "ends ", error, " from its target, began at ",
            before, ", length ", chain_.length);
    Require(status != SolveStatus::kConverged || error <= chain_.tolerance + slack, where_,
            "CONVERGED at ", error, ", tolerance ", chain_.tolerance);
  }

  const Rig& rig_;
  const CoreScene& scene_;
  const CoreAnswers& answers_;
  const size_t index_;
  const Chain& chain_;
  const ChainTargets targets_;
  bool alone_ = true;  // no other chain moves it
  int frame_ = 0;
  std::string where_;
};

void CheckRotations(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  const auto driven = rig.driven_joints();
  for (size_t i = 0; i < answers.rotations.size(); i += 4) {
    const int joint = static_cast<int>(i / 4) % rig.skeleton().size();
    const float *out = &answers.rotations[i], *in = &scene.rotations[i];
    if (!std::binary_search(driven.begin(), driven.end(), joint))
      Require(std::memcmp(out, in, 16) == 0, "joint ", joint, " is not driven, but changed");
    // A bone's length goes with the square of its quaternion's.
    const Quatd q = Cast<double>(LoadQuat(out));
    Require(std::abs(Dot(q, q) - 1) <= 1e-5, "joint ", joint, " has |q|^2 = ", Dot(q, q));
  }
}

template <class T>
void RequireSame(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
  Require(a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0,
          what, " differ");
}

}  // namespace

CoreAnswers SolveScene(std::shared_ptr<const Rig> rig, const CoreScene& scene, int batch) {
  const auto frames = static_cast<size_t>(scene.frames);
  const size_t chains = rig->chains().size();
  CoreAnswers out{std::vector<float>(scene.rotations.size()),
                  std::vector<float>(scene.roots.size()), std::vector<ChainAnswers>(chains)};
  for (size_t c = 0; c < chains; ++c)
    out.chains[c] = {std::vector<SolveStatus>(frames), std::vector<std::int32_t>(frames),
                     std::vector<float>(frames), std::vector<float>(frames),
                     std::vector<float>(3 * rig->chains()[c].turned.size() * frames)};
  Solver solver(rig);
  std::vector<ChainTargets> targets(chains);
  std::vector<ChainResults> results(chains);
  for (int first = 0; first < scene.frames; first += batch) {
    const int count = std::min(batch, scene.frames - first);
    for (size_t c = 0; c < chains; ++c) {
      targets[c] = TargetsOf(scene.chains[c], scene.frames, first);
      ChainAnswers& to = out.chains[c];
      results[c] = {to.statuses.data() + first, to.iterations.data() + first,
                    to.residuals.data() + first, to.angles.data() + first,
                    to.velocities.data() + 3 * rig->chains()[c].turned.size() * first};
    }
    solver.Solve(MotionOf(scene, *rig, first, count), targets,
                 out.rotations.data() + 4 * rig->skeleton().size() * first, results,
                 out.roots.data() + 3 * first);
  }
  return out;
}

void CheckAnswers(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers) {
  CheckRotations(rig, scene, answers);
  for (float x : answers.roots) Require(std::isfinite(x), "a root position is not finite");
  if (!rig.moves_root()) RequireSame(answers.roots, scene.roots, "root positions that came");
  for (size_t c = 0; c < answers.chains.size(); ++c) {
    for (float x : answers.chains[c].velocities)
      Require(std::isfinite(x), "an angular velocity is not finite");
    ChainCheck(rig, scene, answers, c).Run();
  }
}

void RequireSameBits(const CoreAnswers& a, const CoreAnswers& b) {
  RequireSame(a.rotations, b.rotations, "rotations");
  RequireSame(a.roots, b.roots, "root positions");
  for (size_t c = 0; c < a.chains.size(); ++c) {
    RequireSame(a.chains[c].statuses, b.chains[c].statuses, "statuses");
    RequireSame(a.chains[c].iterations, b.chains[c].iterations, "iterations");
    RequireSame(a.chains[c].residuals, b.chains[c].residuals, "residuals");
    RequireSame(a.chains[c].angles, b.chains[c].angles, "residual angles");
    RequireSame(a.chains[c].velocities, b.chains[c].velocities, "angular velocities");
  }
}

}  // namespace ikstream::fuzz
