// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Bones of a group's members that lengthen where a member cannot reach
// (ChainSpec::max_stretch). Not thread-safe.
//
// Joints that members share, and the root, may bring a target into reach. So the group is
// solved with the bones as they are first. Where a member that may lengthen misses its target,
// a second solve puts such members after all others: it tells how near they come while the
// others have what they ask. A target that is then farther from a member's root joint than its
// bones reach lengthens them as a chain's (core/stretch.h); a bone of several members gets the
// greatest factor. The third solve, with those bones, is the answer, unless limits make longer
// bones end farther off than the first did. All start at the input.
#pragma once

#include <span>
#include <vector>

#include "core/body.h"
#include "core/chain_job.h"
#include "core/stretch.h"

namespace ikstream {

class BodyStretch {
 public:
  // Both outlive this.
  BodyStretch(const Rig& rig, const BodyGroup& group);

  // How many members may lengthen. Extensions below are theirs: by which share of their length
  // bones get longer.
  size_t size() const { return members_.size(); }
  // The effector of a member.
  size_t effector(size_t member) const { return members_[member].effector; }

  // The group with its members last: for solves that tell what they cannot reach.
  const BodyGroup& measuring() const { return measuring_; }
  // Whether a member of `active` did not converge; the item that tells why.
  bool Asks(const FrameOutcome* outcomes, std::uint32_t active) const;
  BodyItem MeasuringItem(const BodyItem& item) const;

  // The extensions that a frame asks for by its measuring solve: `solved` (4 floats per turned
  // node), what the root moved by; `outcomes`: of the first solve. False: none. `pose`: of all
  // frames, 4 J F floats.
  bool Measure(const MotionView& motion, int frame, const float* pose,
               std::span<const ChainTargets> targets, const float* solved, Vec3f move,
               const FrameOutcome* outcomes, float* extensions);
  // Whether the group is served worse with longer bones than with its own: by the first
  // priority that differs by more than a tolerance, positions before rotations.
  bool Loses(const FrameOutcome* longer, const FrameOutcome* own, std::uint32_t active) const;
  // Lengthens the bones in the translations of a frame.
  void Lengthen(const float* extensions, float* translations) const;

 private:
  struct Member {
    size_t effector;
    const Chain* chain;
    Stretch stretch;
  };

  const Rig& rig_;
  const BodyGroup& group_;
  std::vector<Member> members_;
  BodyGroup measuring_;
  std::vector<int> order_;   // effectors of the group by those of measuring_
  std::vector<int> slots_;   // translations that lengthen
  std::vector<float> pose_;  // one frame
};

}  // namespace ikstream
