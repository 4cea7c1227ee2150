// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A block of problems in lanes: columns, one problem each, over rows of floats. Rows up to
// `carried` are the problem and its state, and a part of them is its answer; a problem moves
// from block to block by copying them. The rows after are scratch of one step.
//
// Space: the frame of root_joint's parent, centred at root_joint, so that precision does not
// depend on where in the world the character stands and limits need no outer rotation.
#if defined(IKSTREAM_CORE_LANES_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_BLOCK_INL_H_
#undef IKSTREAM_CORE_LANES_BLOCK_INL_H_
#else
#define IKSTREAM_CORE_LANES_BLOCK_INL_H_
#endif

#include <algorithm>

#include "core/chain_job.h"
#include "core/lanes/limits-inl.h"
#include "core/lanes/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Rows first, first + 1 ... last - 1.
struct RowRange {
  int first = 0, last = 0;
};

// Where rows stand; -1: absent.
struct Layout {
  int bones = 0;                          // of the chain
  int solved = 0;                         // bones that the solver may turn to meet the position
  bool rotations = false;                 // state is local rotations (limits, stiffness), else
                                          // positions only
  bool has_goal = false;                  // a rotation target
  float fixed_reach = 0, fixed_fold = 0;  // of the solved bones, where they do not move
  int pos = 0;                            // 3 (bones + 1): joints, then the end; the root is
                                          // the origin and never copied
  int asked = 0;                          // 3: the target as asked
  int wanted = 0;                         // 3: the same after soft reach
  int target = 0;                         // 3: what the solved bones must reach for that
  int bend = -1;                          // 3: direction to bend to
  int asked_goal = -1;                    // 4: rotation of the end joint as asked
  int goal = -1;                          // 4: the same with the rotation's weight
  int moving = -1;                        // 4 bones: bone and length where they change by frame
  int reach = -1, fold = -1;              // greatest and least distance of the end, ditto
  int frame = 0;                          // the bits of an integer
  int age = 0;                            // iterations made
  int hit = 0;                            // 1 where a limit held back the last step
  int moved = 0;       // 1 where the pose is not the input's even before a step
  int best = -1;       // 4 bones: rotations of the best pose so far
  int error = 0;       // squared, of the current pose
  int best_error = 0;  // squared
  int stall = 0;       // steps without progress
  int damping = 0;     // of the jacobian
  int quat = -1;       // 4 bones: local rotations
  int weights = -1;    // bones: how far the jacobian may turn each joint
  int lead = -1;       // 3: by what the aim leads the target
  int start = -1;      // 4 bones: rotations of the start pose, where it pulls
  int pull = -1;       // how much it pulls
  int frames = 0;      // 4 bones: rotations of joints in the block's space
  int extra = 0;       // 4 (bones + 1), scratch of solvers
  int rows = 0;
  RowRange carried, answer;

  Layout(const ChainJob& job, bool ignore_goal);

 private:
  void MeasureReach(const Chain& chain);
};

inline void Layout::MeasureReach(const Chain& chain) {
  float longest = 0;
  for (int k = 0; k < solved; ++k) {
    fixed_reach += chain.lengths[k];
    longest = std::max(longest, chain.lengths[k]);
  }
  fixed_fold = std::max(longest + longest - fixed_reach, 0.0f);
}

inline Layout::Layout(const ChainJob& job, bool ignore_goal) {
  const Chain& chain = *job.chain;
  bones = static_cast<int>(chain.driven.size());
  rotations = chain.limited || !chain.even || chain.pull > 0;
  has_goal = job.has_rotation_target() && !ignore_goal;
  solved = has_goal && !chain.turns_end && bones > 1 ? bones - 1 : bones;
  MeasureReach(chain);
  int next = 0;
  const auto take = [&next](int count) { return next += count, next - count; };
  pos = take(3 * (bones + 1));
  // The answer is the positions or the best rotations.
  carried.first = 3;
  answer.first = rotations ? next : carried.first;
  asked = take(3);
  const bool soft = chain.spec.soft_reach.has_value();
  wanted = soft ? take(3) : asked;
  target = solved < bones ? take(3) : wanted;
  if (job.bends != nullptr) bend = take(3);
  if (job.has_rotation_target()) asked_goal = goal = take(4);
  if (job.has_rotation_target() && chain.spec.rotation_weight < 1) goal = take(4);
  if (chain.moving_bones) moving = take(4 * bones), reach = take(1), fold = take(1);
  frame = take(1);
  age = take(1);
  hit = take(1);
  moved = take(1);
  if (rotations) best = take(4 * bones);
  answer.last = next;
  error = take(1);
  best_error = take(1);
  stall = take(1);
  damping = take(1);
  if (rotations) quat = take(4 * bones), weights = take(bones), lead = take(3);
  if (rotations) frames = take(4 * bones);
  if (chain.pull > 0) start = take(4 * bones), pull = take(1);
  carried.last = next;
  if (!rotations) frames = take(4 * bones);
  extra = take(4 * (bones + 1));
  rows = next;
}

// A view of a block. Functions take it by value: what is behind a reference would be read again
// after every store.
template <class L>
struct Block : Rows<Block<L>, L> {
  using Base = Rows<Block<L>, L>;
  using Base::Put, Base::Put3, Base::Put4, Base::Row, Base::Row3, Base::Row4;

  const Chain* chain;
  const Layout* at;
  float* base;
  int stride;  // columns of the whole block

  // Columns from `first` on, in lanes of another width.
  template <class Part>
  HWY_INLINE Block<Part> Columns(int first) const {
    return {{}, chain, at, base + first, stride};
  }
  HWY_INLINE V3<L> Pos(int k) const { return Row3(at->pos + 3 * k); }
  HWY_INLINE void PutPos(int k, const V3<L>& v) const { Put3(at->pos + 3 * k, v); }
  HWY_INLINE Q4<L> Quat(int k) const { return Row4(at->quat + 4 * k); }
  HWY_INLINE void PutQuat(int k, const Q4<L>& q) const { Put4(at->quat + 4 * k, q); }
  HWY_INLINE L BoneLength(int k) const {
    return at->moving < 0 ? L::Set(chain->lengths[k]) : Row(at->moving + 4 * k + 3);
  }
  // The greatest and the least distance between the ends of the solved bones.
  HWY_INLINE L Reach() const {
    return at->moving < 0 ? L::Set(at->fixed_reach) : Row(at->reach);
  }
  HWY_INLINE L Fold() const { return at->moving < 0 ? L::Set(at->fixed_fold) : Row(at->fold); }
  // In the joint's own frame.
  HWY_INLINE V3<L> Bone(int k) const {
    return at->moving < 0 ? V3<L>::Set(chain->bones[k]) : Row3(at->moving + 4 * k);
  }
  // Its direction; zero where it has no length.
  HWY_INLINE V3<L> BoneAxis(int k) const {
    if (at->moving < 0) return V3<L>::Set(chain->axes[k]);
    const V3<L> b = Row3(at->moving + 4 * k);
    return NormalizedOr(b, V3<L>::Set({}), 1e-12f);
  }
};

// Positions from the local rotations in the rows from `quat`; rotations of the joints go to
// at->frames. Returns where the solved bones end.
template <class L>
HWY_NOINLINE V3<L> Forward(const Block<L> b, int quat) {
  V3<L> p = V3<L>::Set({});
  Q4<L> r = Q4<L>::Set({});
  V3<L> end = p;
  b.PutPos(0, p);
  for (int k = 0; k < b.at->bones; ++k) {
    r = k == 0 ? b.Row4(quat) : Renormalized(r * b.Row4(quat + 4 * k));
    b.Put4(b.at->frames + 4 * k, r);
    p = p + Rotate(r, b.Bone(k));
    b.PutPos(k + 1, p);
    if (k + 1 == b.at->solved) end = p;
  }
  return end;
}

// The squared distance of `end` to the target.
template <class L>
HWY_INLINE L ErrorOf(const Block<L> b, const V3<L>& end) {
  const V3<L> d = b.Row3(b.at->target) - end;
  return Dot(d, d);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_BLOCK_INL_H_
