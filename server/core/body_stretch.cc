// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_stretch.h"

#include <algorithm>

#include "core/body_build.h"

namespace ikstream {
namespace {

ChainTargets At(const ChainTargets& targets, int frame) {
  const auto at = [frame](const Track& track) {
    return track ? Track{track.at(frame), 0} : Track{};
  };
  return {at(targets.positions), at(targets.rotations), at(targets.weights), at(targets.poles)};
}

// Squared misses of the effectors of one priority.
struct Miss {
  double position = 0, angle = 0;
};

int Order(double a, double b, double slack) {
  return a > b + slack ? 1 : a < b - slack ? -1 : 0;
}

}  // namespace

BodyStretch::BodyStretch(const Rig& rig, const BodyGroup& group) : rig_(rig), group_(group) {
  std::uint32_t last = 0;
  for (size_t e = 0; e < group.effectors.size(); ++e) {
    const Chain& chain = rig.chains()[static_cast<size_t>(group.effectors[e].chain)];
    if (chain.spec.max_stretch == 0) continue;
    last |= 1u << e;
    members_.push_back({e, &chain, Stretch(rig, chain)});
    const auto slots = members_.back().stretch.slots();
    slots_.insert(slots_.end(), slots.begin(), slots.end());
  }
  std::sort(slots_.begin(), slots_.end());
  slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
  if (size() == 0) return;
  pose_.resize(4 * static_cast<size_t>(rig.skeleton().size()));
  measuring_ = WithLast(rig, group, last, order_);
}

bool BodyStretch::Asks(const FrameOutcome* outcomes, std::uint32_t active) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return ((active >> member.effector) & 1) != 0 &&
           outcomes[member.effector].status != SolveStatus::kConverged;
  });
}

BodyItem BodyStretch::MeasuringItem(const BodyItem& item) const {
  BodyItem out{item.frame, 0};
  for (size_t i = 0; i < order_.size(); ++i)
    out.active |= ((item.active >> order_[i]) & 1) << i;
  return out;
}

bool BodyStretch::Measure(const MotionView& motion, int frame, const float* pose,
                          std::span<const ChainTargets> targets, const float* solved,
                          Vec3f move, const FrameOutcome* outcomes, float* extensions) {
  std::copy_n(pose + static_cast<std::int64_t>(pose_.size()) * frame, pose_.size(),
              pose_.begin());
  for (size_t k = 0; k < group_.turned.size(); ++k)
    Store(LoadQuat(solved + 4 * k), &pose_[4LL * group_.nodes[group_.turned[k]].joint]);
  float root[3];
  Store(LoadVec3(motion.root_positions + 3LL * frame) + move, root);
  const auto moved = static_cast<std::int64_t>(rig_.translated_joints().size());
  const MotionView one{1, root, pose_.data(), motion.local_translations + 3 * moved * frame};
  bool any = false;
  for (size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    const ChainTargets asked = At(targets[group_.effectors[member.effector].chain], frame);
    const SolveStatus status = outcomes[member.effector].status;
    extensions[m] = 0;
    if (status == SolveStatus::kConverged || !asked.positions || *asked.weights.data == 0)
      continue;
    const ChainPlacer placer(rig_, *member.chain, one, pose_.data());
    extensions[m] = static_cast<float>(member.stretch.Factor(placer, asked, 0) - 1);
    any = any || extensions[m] > 0;
  }
  return any;
}

bool BodyStretch::Loses(const FrameOutcome* longer, const FrameOutcome* own,
                        std::uint32_t active) const {
  const size_t size = group_.effectors.size();
  for (size_t first = 0, end = 0; first < size; first = end) {
    Miss now, before, slack;
    const auto add = [](Miss& to, const FrameOutcome& from, double weight) {
      to.position += weight * from.residual * from.residual;
      to.angle += weight * from.residual_angle * from.residual_angle;
    };
    for (; end < size && group_.effectors[end].priority == group_.effectors[first].priority;
         ++end) {
      if (((active >> end) & 1) == 0) continue;
      const BodyEffector& effector = group_.effectors[end];
      const Chain& chain = rig_.chains()[static_cast<size_t>(effector.chain)];
      FrameOutcome least;
      least.residual = chain.tolerance, least.residual_angle = chain.spec.rotation_tolerance;
      const auto weight = static_cast<double>(effector.weight);
      add(now, longer[end], weight), add(before, own[end], weight), add(slack, least, weight);
    }
    int order = Order(now.position, before.position, slack.position);
    if (order == 0) order = Order(now.angle, before.angle, slack.angle);
    if (order != 0) return order > 0;
  }
  return false;
}

void BodyStretch::Lengthen(const float* extensions, float* translations) const {
  for (int slot : slots_) {
    float most = 0;
    for (size_t m = 0; m < members_.size(); ++m) {
      const auto slots = members_[m].stretch.slots();
      if (std::find(slots.begin(), slots.end(), slot) != slots.end())
        most = std::max(most, extensions[m]);
    }
    if (most == 0) continue;
    const Vec3d bone = Cast<double>(LoadVec3(translations + 3LL * slot));
    Store(Cast<float>(bone * (1 + static_cast<double>(most))), translations + 3LL * slot);
  }
}

}  // namespace ikstream
