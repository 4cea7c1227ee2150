// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/body_repeats.h"

#include <cstring>

namespace ikstream {

// With a mark, so that what is not given differs from every value.
void BodyRepeats::Add(const Track& track, int count, int frame) {
  now_.push_back(track ? 1.0f : 0.0f);
  if (track) Add(track.at(frame), count);
}

bool BodyRepeats::Next(const float* root, const float* pose, const float* translations,
                       std::span<const ChainTargets> targets, int frame) {
  now_.clear();
  Add(root, 3);
  for (const BodyNode& node : group_.nodes) {
    Add(pose + 4LL * node.joint, 4);
    if (node.slot >= 0) Add(translations + 3LL * node.slot, 3);
  }
  for (const BodyEffector& effector : group_.effectors) {
    const ChainTargets& asked = targets[static_cast<size_t>(effector.chain)];
    Add(asked.positions, 3, frame);
    Add(asked.rotations, 4, frame);
    Add(asked.weights, 1, frame);
    Add(asked.poles, 3, frame);
  }
  const bool same = now_.size() == before_.size() &&
                    std::memcmp(now_.data(), before_.data(), now_.size() * sizeof(float)) == 0;
  now_.swap(before_);
  return same;
}

}  // namespace ikstream
