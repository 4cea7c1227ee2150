// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_targets.h"

#include <algorithm>

#include "core/grow.h"

namespace ikstream {

BodyTargets::BodyTargets(const Rig& rig, const BodyGroup& group) {
  const double rate = rig.frames_per_second();
  for (const BodyEffector& effector : group.effectors) {
    const Chain& chain = rig.chains()[static_cast<size_t>(effector.chain)];
    members_.push_back({effector.chain,
                        WeightRate(chain.spec.temporal, rate),
                        TargetSmoothing(chain, rate),
                        {}});
  }
}

bool BodyTargets::smooths() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const Member& member) { return member.smoothing.active(); });
}

void BodyTargets::Reset() {
  for (Member& member : members_) {
    member.rate.Reset();
    member.smoothing.Reset();
  }
}

std::span<const ChainTargets> BodyTargets::Apply(std::span<const ChainTargets> asked,
                                                 int frames) {
  const auto count = static_cast<size_t>(frames);
  greatest_.assign(std::max(greatest_.size(), count), 0);
  in_force_.assign(asked.begin(), asked.end());
  for (Member& member : members_) {
    ChainTargets& targets = in_force_[static_cast<size_t>(member.chain)];
    Grow(member.weights, count);
    for (int f = 0; f < frames; ++f) {
      const float weight = targets.weights ? *targets.weights.at(f) : 1;
      member.weights[f] = member.rate.Next(std::clamp(weight, 0.0f, 1.0f));
      greatest_[f] = std::max(greatest_[f], member.weights[f]);
    }
    if (member.smoothing.active())
      targets = member.smoothing.Apply(targets, member.weights.data(), frames);
    targets.weights = {member.weights.data(), 1};
  }
  return in_force_;
}

}  // namespace ikstream
