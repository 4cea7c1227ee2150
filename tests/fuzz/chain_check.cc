// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/chain_check.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "fuzz/chain_view.h"
#include "fuzz/joint_check.h"
#include "fuzz/target.h"
#include "unit/core/reference.h"

namespace ikstream::fuzz {
namespace {

bool Contains(const std::vector<int>& list, int joint) {
  return std::find(list.begin(), list.end(), joint) != list.end();
}

// Whether a chain moves what the other one stands on, turns, or must not enter.
bool Moves(const Rig& rig, const Chain& chain, const Chain& other) {
  if (chain.group >= 0 && rig.groups()[static_cast<size_t>(chain.group)].moves_root)
    return true;
  return std::any_of(chain.turned.begin(), chain.turned.end(), [&](int joint) {
    return Contains(other.prefix, joint) || Contains(other.turned, joint) ||
           Contains(other.collider_places.joints, joint);
  });
}

// When a chain is solved: a group in the place of its first chain.
size_t TurnOf(const Rig& rig, size_t index) {
  const int group = rig.chains()[index].group;
  const auto order = rig.solve_order();
  for (size_t i = 0; i < order.size(); ++i)
    if (order[i] == static_cast<int>(index) ||
        (group >= 0 && rig.chains()[static_cast<size_t>(order[i])].group == group))
      return i;
  return order.size();
}

class ChainCheck {
 public:
  ChainCheck(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers, size_t index)
      : rig_(rig),
        scene_(scene),
        answers_(answers),
        index_(index),
        chain_(rig.chains()[index]),
        told_(answers.chains[index]),
        targets_(TargetsOf(scene.chains[index], scene.frames, 0)),
        body_(chain_.group >= 0),
        timed_(chain_.spec.temporal.active() || chain_.spec.solve_every > 1) {
    for (size_t i = 0; i < rig.chains().size(); ++i) {
      const Chain& other = rig.chains()[i];
      if (i == index || (body_ && other.group == chain_.group) || !Moves(rig, other, chain_))
        continue;
      (TurnOf(rig, i) < TurnOf(rig, index) ? moved_before_ : moved_after_) = true;
    }
  }

  void Run() {
    for (frame_ = 0; frame_ < scene_.frames; ++frame_) CheckFrame();
  }

 private:
  const float* Rotations(const std::vector<float>& all) const {
    return all.data() + 4 * rig_.skeleton().size() * frame_;
  }
  ChainView View(const float* rotations, const float* roots, const float* translations) const {
    const size_t moved = 3 * rig_.translated_joints().size();
    return {
        rig_,
        index_,
        {roots + 3 * frame_, rotations, moved == 0 ? nullptr : translations + moved * frame_}};
  }
  ChainView Input(const float* rotations) const {
    return View(rotations, scene_.roots.data(), scene_.translations.data());
  }
  ChainView Input() const { return Input(Rotations(scene_.rotations)); }
  template <class T>
  T Told(const std::vector<T>& list) const {
    return list[static_cast<size_t>(frame_)];
  }
  Vec3d Target() const { return Cast<double>(LoadVec3(targets_.positions.at(frame_))); }
  bool HasGoal() const {
    return static_cast<bool>(targets_.rotations) || chain_.spec.keep_end_rotation;
  }

  void CheckFrame() {
    where_ = absl::StrCat(chain_.spec.solver, ", chain ", index_, ", frame ", frame_, ": ");
    const float weight = WeightOf(targets_, frame_);
    const std::int32_t iterations = Told(told_.iterations);
    // A group's limit is its most patient chain's.
    if (!body_)
      Require(iterations <= chain_.spec.max_iterations, where_, iterations, " iterations");
    Require(iterations >= 0, where_, iterations, " iterations");
    Require(timed_ || (Told(told_.statuses) == SolveStatus::kSkipped) == (weight <= 0), where_,
            "SKIPPED is for weight 0");
    // Residuals are those of the pose that all chains left.
    if (moved_after_ && !targets_.positions) return;
    const ChainView out = View(Rotations(answers_.rotations), answers_.roots.data(),
                               answers_.translations.data());
    CheckResiduals(out);
    if (moved_before_ || moved_after_ || timed_) return;
    if (chain_.plane) CheckPlane(out, weight);
    if (weight >= 1 && !body_) CheckNoWorse(out);
  }

  void CheckResiduals(const ChainView& out) const {
    if (chain_.aims()) return CheckRay(out);
    CheckPosition(out);
    CheckAngle(out);
    const double depth = out.Depth();
    Require(body_ || std::abs(depth - Told(told_.depths)) <= out.DepthRounding(), where_,
            "depth ", Told(told_.depths), " where ", depth, " is measured, length ",
            chain_.length);
  }

  void CheckRay(const ChainView& out) const {
    if (!targets_.positions) return;
    const Ray ray = out.RayTo(Target());
    const double rounding = out.Rounding(Target());
    if (!(ray.distance > 10 * rounding)) return;  // no direction to speak of
    const double angle = 1e-4 + 2 * rounding / ray.distance;
    Require(std::abs(ray.angle - Told(told_.angles)) <= angle, where_, "angle ",
            Told(told_.angles), " where ", ray.angle, " is measured");
    Require(std::abs(ray.miss - Told(told_.residuals)) <= rounding + angle * ray.distance,
            where_, "the line passes ", Told(told_.residuals), " where ", ray.miss,
            " is measured");
  }

  void CheckPosition(const ChainView& out) const {
    if (!targets_.positions && (moved_before_ || body_)) return;
    const Vec3d target = targets_.positions ? Target() : Input().End();
    const double error = Length(out.End() - target);
    Require(std::abs(error - Told(told_.residuals)) <= out.Rounding(target), where_,
            "residual ", Told(told_.residuals), " where ", error, " is measured, length ",
            chain_.length);
  }

  void CheckAngle(const ChainView& out) const {
    double off = 0;
    if (targets_.rotations)
      off = AngleBetween(out.EndRotation(),
                         Normalized(Cast<double>(LoadQuat(targets_.rotations.at(frame_)))));
    else if (moved_before_ || moved_after_ || body_)
      return;
    else if (chain_.spec.keep_end_rotation)
      off = AngleBetween(out.EndRotation(), Input().EndRotation());
    Require(std::abs(off - Told(told_.angles)) <= 2e-4, where_, "residual angle ",
            Told(told_.angles), " where ", off, " is measured");
  }

  // What leans out of the plane in the input stays so: limits bound the turn about the normal.
  void CheckPlane(const ChainView& out, float weight) const {
    const double lean = out.Lean(Input());
    Require(lean <= 2e-5, where_, "turned by ", lean, " rad off the plane's normal");
    for (size_t k = 0; k < chain_.turned.size() && weight >= 1; ++k) {
      const auto* hinge = std::get_if<HingeLimit>(&rig_.limit(chain_.turned[k]));
      const auto turn = out.PlanarTurn(k);
      if (hinge == nullptr || !turn || !Turns(chain_, targets_, k)) continue;
      const double centre = (hinge->min + hinge->max) / 2, half = (hinge->max - hinge->min) / 2;
      const double off = std::abs(std::remainder(*turn - centre, 2 * std::numbers::pi));
      Require(off <= half + 1e-4, where_, "joint ", chain_.turned[k], " is ", off - half,
              " rad outside its limit in the plane");
    }
  }

  // The input put inside the chain's limits; empty where rounding decides what that is, and
  // where the limits are those of a plane.
  std::optional<std::vector<float>> Clamped() {
    const float* in = Rotations(scene_.rotations);
    std::vector<float> start(in, in + 4 * static_cast<size_t>(rig_.skeleton().size()));
    clamped_ = false;
    if (chain_.plane && chain_.limited) return std::nullopt;
    for (size_t k = 0; k < chain_.turned.size(); ++k) {
      if (!Turns(chain_, targets_, k)) continue;
      float* at = start.data() + 4 * chain_.turned[k];
      const Quatd sent = Normalized(Cast<double>(LoadQuat(at)));
      const auto inside =
          NearestInside(rig_.limit(chain_.turned[k]),
                        Cast<double>(rig_.skeleton().joint(chain_.turned[k]).rest),
                        DefaultAxis(rig_, chain_, k), sent);
      if (!inside) return std::nullopt;
      clamped_ = clamped_ || !(*inside == sent);
      Store(Cast<float>(*inside), at);
    }
    return start;
  }

  // Where the chain should end: the target, drawn in by soft reach.
  Vec3d Wanted(const ChainView& view) const {
    if (!chain_.spec.soft_reach) return Target();
    const double reach = view.Reach(), cap = reach * chain_.spec.soft_reach->cap,
                 zone = reach * chain_.spec.soft_reach->zone;
    const Vec3d way = Target() - view.Root();
    const double distance = Length(way);
    if (distance <= cap - zone || distance <= 0) return Target();
    const double drawn = cap - zone * std::exp(-(distance - (cap - zone)) / zone);
    return view.Root() + way * (drawn / distance);
  }

  // Limits come first, then colliders, then the target. A rotation target has a say in where a
  // tip can be: such chains are left to other tests.
  void CheckNoWorse(const ChainView& out) {
    if (!targets_.positions) return;
    const auto start = Clamped();
    if (!start) return;
    const ChainView before = Input(start->data());
    const double slack = out.Rounding(Target()) + (clamped_ ? 1e-3 : 0) * chain_.length;
    if (chain_.aims()) return CheckRayNoWorse(out, before);
    const double depth = before.Depth();
    Require(out.Depth() <= depth + slack + out.DepthRounding(), where_, "is ", out.Depth(),
            " deep in a collider, began at ", depth, ", length ", chain_.length);
    if (HasGoal()) return;
    // Measured in the plane, or of longer bones.
    if (chain_.spec.soft_reach && (chain_.plane || chain_.spec.max_stretch > 0)) return;
    const Vec3d wanted = Wanted(out);
    const double error = Length(out.End() - wanted), began = Length(before.End() - wanted);
    // To leave a collider comes before the target.
    Require(depth > 0 || error <= began + slack, where_, "ends ", error,
            " from its target, began at ", began, ", length ", chain_.length);
    Require(Told(told_.statuses) != SolveStatus::kConverged ||
                (error <= chain_.tolerance + slack &&
                 out.AvoidableDepth() <= 1e-3 * chain_.length + slack),
            where_, "CONVERGED at ", error, ", tolerance ", chain_.tolerance, ", depth ",
            out.AvoidableDepth());
    CheckReach(out, slack);
  }

  void CheckReach(const ChainView& out, double slack) const {
    if (Told(told_.statuses) != SolveStatus::kUnreachable || chain_.plane) return;
    Require(Length(Target() - out.Root()) >= out.Reach() - slack, where_,
            "UNREACHABLE within reach");
  }

  void CheckRayNoWorse(const ChainView& out, const ChainView& before) const {
    const Ray ray = out.RayTo(Target()), began = before.RayTo(Target());
    const double rounding = out.Rounding(Target());
    if (!(std::min(ray.distance, began.distance) > 10 * rounding)) return;
    const double slack =
        1e-4 + 2 * rounding / std::min(ray.distance, began.distance) + (clamped_ ? 1e-3 : 0);
    Require(ray.angle <= began.angle + slack, where_, "looks ", ray.angle,
            " rad past its target, began at ", began.angle);
    Require(Told(told_.statuses) != SolveStatus::kConverged ||
                ray.angle <= chain_.spec.rotation_tolerance + slack,
            where_, "CONVERGED at ", ray.angle, " rad");
  }

  const Rig& rig_;
  const CoreScene& scene_;
  const CoreAnswers& answers_;
  const size_t index_;
  const Chain& chain_;
  const ChainAnswers& told_;
  const ChainTargets targets_;
  const bool body_, timed_;                          // timed: other frames have a say
  bool moved_before_ = false, moved_after_ = false;  // by other chains
  bool clamped_ = false;
  int frame_ = 0;
  std::string where_;
};

}  // namespace

void CheckChain(const Rig& rig, const CoreScene& scene, const CoreAnswers& answers,
                size_t chain) {
  ChainCheck(rig, scene, answers, chain).Run();
}

}  // namespace ikstream::fuzz
