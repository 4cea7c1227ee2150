// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The pass of core/continuity.h at weight 1 over frames in a row: a register of frames of one
// joint at a time.
//
// The sign of an answer is that of the one before or the opposite, by the dot product of the
// two solved rotations, which has no sign to carry: so signs are the running sum (modulo 2) of
// bits that are worked out side by side, but for where a joint was not solved in the frame
// before. The side of d is a sum of the same kind, and is needed at the last frame alone: from
// there back to the nearest frame that has a side by itself.
#if defined(IKSTREAM_CORE_LANES_CONTINUITY_RUN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_CONTINUITY_RUN_INL_H_
#undef IKSTREAM_CORE_LANES_CONTINUITY_RUN_INL_H_
#else
#define IKSTREAM_CORE_LANES_CONTINUITY_RUN_INL_H_
#endif

#include <algorithm>

#include "core/lanes/continuity-inl.h"
#include "core/lanes/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE int BlendFrames(const ContinuityRun&) { return 0; }

#else

// Four registers hold the rotations of as many frames as a register has lanes, each frame's in
// a block: of register i, the frames i, i + 4, i + 8... Of each frame: the dot product with
// that of `b`, in the order of the frames; summed as by DotOfEach.
template <class D>
HWY_INLINE hn::Vec<D> DotOfFrames(D d, const hn::Vec<D> (&a)[4], const hn::Vec<D> (&b)[4]) {
  const hn::RepartitionToWide<D> wide;
  hn::Vec<D> pairs[2];
  for (int i = 0; i < 2; ++i) {
    const auto one = hn::Mul(a[2 * i], b[2 * i]), two = hn::Mul(a[2 * i + 1], b[2 * i + 1]);
    pairs[i] = hn::Add(hn::InterleaveLower(d, one, two), hn::InterleaveUpper(d, one, two));
  }
  const auto low = hn::BitCast(wide, pairs[0]), high = hn::BitCast(wide, pairs[1]);
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, low, high)),
                 hn::BitCast(d, hn::InterleaveUpper(wide, low, high)));
}

// A mask's bits, one per lane.
template <class D>
HWY_INLINE std::uint32_t BitsOf(D, hn::Mask<D> mask) {
  return static_cast<std::uint32_t>(Bits(LaneMask<D, 1>{{mask}}));
}

// -0 in the lanes of `bits`.
template <class D>
HWY_INLINE hn::Vec<D> SignBits(D d, std::uint32_t bits) {
  return hn::And(LaneOrder<D>::Of(bits), hn::SignBit(d));
}

// Where the frames of a register begin.
template <class D>
struct FramesAt {
  static constexpr int kFrames = static_cast<int>(hn::MaxLanes(D()));
  const float* solved[kFrames];
  float* pose[kFrames];

  FramesAt(const ContinuityRun& run, int first) {
    for (int c = 0; c < kFrames; ++c) {
      solved[c] = run.solved + 4 * static_cast<std::ptrdiff_t>(run.joints) * (first + c);
      pose[c] = run.pose + run.stride * (first + c);
    }
  }
};

// One joint of a run over a register of frames.
template <class D>
class JointFrames {
 public:
  static constexpr int kFrames = FramesAt<D>::kFrames;

  JointFrames(const ContinuityRun& run, size_t joint)
      : run_(run),
        solved_(4 * static_cast<std::ptrdiff_t>(joint)),
        pose_(run.offsets[joint]),
        turns_(run.turns + solved_),
        answers_(run.answers + solved_),
        active_(run.active + solved_) {}

  // What turns_ will be after `frames`: before their answers replace the input.
  HWY_INLINE void FindTurn(int frames) const {
    int f = frames - 1;
    auto turn = TurnAt(f);
    if (IsSame(turn)) return;
    const auto last = turn;
    float sign = 1;
    for (; f > 0 && !HasSide(turn); --f) {
      const auto before = TurnAt(f - 1);
      if (IsSame(before)) break;
      const float side = hn::GetLane(DotOfEach(kOne, turn, before));
      if (side == 0) return Put(last, sign);
      if (side < 0) sign = -sign;
      turn = before;
    }
    float side = hn::GetLane(hn::Broadcast<3>(turn));
    if (f == 0 && *active_ != 0 && !HasSide(turn))
      side = hn::GetLane(DotOfEach(kOne, turn, hn::LoadU(kOne, turns_)));
    Put(last, side < 0 ? -sign : sign);
  }

  HWY_INLINE void Blend(const FramesAt<D>& at) const {
    const D d;
    hn::Vec<D> solved[4], input[4], before[4];
    const auto solved_at = [&at, this](int c) HWY_ATTR { return at.solved[c] + solved_; };
    const auto pose_at = [&at, this](int c) HWY_ATTR { return at.pose[c] + pose_; };
    for (int i = 0; i < 4; ++i) solved[i] = LoadBlocks(d, solved_at, i);
    for (int i = 0; i < 4; ++i) input[i] = LoadBlocks(d, pose_at, i);
    before[0] = AfterBlock(hn::LoadDup128(d, answers_), solved[3]);
    for (int i = 1; i < 4; ++i) before[i] = solved[i - 1];
    const auto near = DotOfFrames(d, solved, input), follows = DotOfFrames(d, solved, before);
    const std::uint32_t same = Same(near, solved, input);
    const auto turned = SignBits(d, Signs(follows, same, solved, input));
    hn::Vec<D> answers[4] = {hn::Xor(solved[0], hn::Broadcast<0>(turned)),
                             hn::Xor(solved[1], hn::Broadcast<1>(turned)),
                             hn::Xor(solved[2], hn::Broadcast<2>(turned)),
                             hn::Xor(solved[3], hn::Broadcast<3>(turned))};
    hn::StoreU(LastBlock(answers[3]), kOne, answers_);
    std::fill_n(active_, 4, (same >> (kFrames - 1)) != 0 ? 0u : ~0u);
    if (same != 0) {
      const auto kept = LaneOrder<D>::Of(same);
      answers[0] = hn::IfVecThenElse(hn::Broadcast<0>(kept), input[0], answers[0]);
      answers[1] = hn::IfVecThenElse(hn::Broadcast<1>(kept), input[1], answers[1]);
      answers[2] = hn::IfVecThenElse(hn::Broadcast<2>(kept), input[2], answers[2]);
      answers[3] = hn::IfVecThenElse(hn::Broadcast<3>(kept), input[3], answers[3]);
    }
    for (int i = 0; i < 4; ++i) StoreBlocks(d, answers[i], pose_at, i);
  }

 private:
  using One = hn::CappedTag<float, 4>;
  static constexpr One kOne{};
  static constexpr std::uint32_t kAll = (1u << kFrames) - 1;

  HWY_INLINE hn::Vec<One> TurnAt(int f) const {
    const auto joints = static_cast<std::ptrdiff_t>(run_.joints);
    return TimesConjugate(kOne, hn::LoadU(kOne, run_.solved + 4 * joints * f + solved_),
                          hn::LoadU(kOne, run_.pose + run_.stride * f + pose_));
  }
  static HWY_INLINE bool IsSame(hn::Vec<One> turn) {
    const auto part = VectorOf(kOne, turn);
    return hn::GetLane(DotOfEach(kOne, part, part)) < kUnchangedBelow;
  }
  static HWY_INLINE bool HasSide(hn::Vec<One> turn) {
    const float w = hn::GetLane(hn::Broadcast<3>(turn));
    return w < -kOwnSide || w > kOwnSide;
  }
  HWY_INLINE void Put(hn::Vec<One> turn, float sign) const {
    hn::StoreU(hn::Mul(turn, hn::Set(kOne, sign)), kOne, turns_);
  }

  // The blocks of v moved on by one, after that of `first`.
  static HWY_INLINE hn::Vec<D> AfterBlock(hn::Vec<D> first, hn::Vec<D> v) {
    if constexpr (kFrames == 4) {
      return first;
    } else {
      const hn::RebindToSigned<D> di;
      const auto from =
          hn::And(hn::Add(hn::Iota(di, 0), hn::Set(di, kFrames - 4)), hn::Set(di, kFrames - 1));
      return hn::IfVecThenElse(LaneOrder<D>::Of(0xF), first,
                               hn::TableLookupLanes(v, hn::IndicesFromVec(D(), from)));
    }
  }
  template <class V>
  static HWY_INLINE hn::Vec<One> LastBlock(V v) {
    if constexpr (sizeof(V) == sizeof(hn::Vec<One>)) {
      return v;
    } else {
      const hn::Half<hn::DFromV<V> > half;
      return LastBlock(hn::UpperHalf(half, v));
    }
  }

  // Bits of the frames whose answer is the input. The dot product of rotations tells those that
  // are far apart; the others are told by what Unchanged() takes.
  static HWY_INLINE std::uint32_t Same(hn::Vec<D> near, const hn::Vec<D> (&solved)[4],
                                       const hn::Vec<D> (&input)[4]) {
    const D d;
    if (hn::AllTrue(d, hn::Lt(hn::Abs(near), hn::Set(d, kMaybeUnchanged)))) return 0;
    hn::Vec<D> part[4];
    for (int i = 0; i < 4; ++i) part[i] = VectorOf(d, TimesConjugate(d, solved[i], input[i]));
    return BitsOf(d, hn::Lt(DotOfFrames(d, part, part), hn::Set(d, kUnchangedBelow)));
  }

  // Bits of the frames whose answer is the opposite of what was solved; `follows`: the dot
  // products with the frames before.
  HWY_INLINE std::uint32_t Signs(hn::Vec<D> follows, std::uint32_t same,
                                 const hn::Vec<D> (&solved)[4],
                                 const hn::Vec<D> (&input)[4]) const {
    const D d;
    const auto zero = hn::Zero(d);
    // Frames without an answer before them; those at right angles to it.
    const std::uint32_t alone = (same << 1 | (*active_ == 0 ? 1u : 0u)) & kAll;
    const std::uint32_t level = BitsOf(d, hn::Eq(follows, zero)) & ~alone;
    const std::uint32_t sums = Sums(BitsOf(d, hn::Lt(follows, zero)) & ~alone);
    if (alone == 0) return level == 0 ? sums : Restarted(sums, level, 0);
    HWY_ALIGN_MAX static constexpr float kW[4] = {0, 0, 0, 1};
    const auto w = hn::LoadDup128(d, kW);
    hn::Vec<D> turns[4];
    for (int i = 0; i < 4; ++i) turns[i] = TimesConjugate(d, solved[i], input[i]);
    const auto side = DotOfFrames(d, turns, {w, w, w, w});
    return Restarted(sums, alone | level, BitsOf(d, hn::Lt(side, zero)) & alone);
  }
  // Bit i: the sum of bits 0..i, modulo 2.
  static std::uint32_t Sums(std::uint32_t bits) {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    return bits & kAll;
  }
  // Sums that begin anew with the bits of `own` where those of `fresh` are.
  static std::uint32_t Restarted(std::uint32_t sums, std::uint32_t fresh, std::uint32_t own) {
    for (; fresh != 0; fresh &= fresh - 1) {
      const std::uint32_t bit = fresh & -fresh;
      if (((sums ^ own) & bit) != 0) sums ^= kAll & -bit;
    }
    return sums;
  }

  const ContinuityRun& run_;
  const std::ptrdiff_t solved_, pose_;  // where the joint stands in a frame
  float* const turns_;
  float* const answers_;
  std::uint32_t* const active_;
};

// Returns how many frames it took: whole registers of them.
HWY_INLINE int BlendFrames(const ContinuityRun& run) {
  using D = hn::CappedTag<float, 16>;
  constexpr int kFrames = FramesAt<D>::kFrames;
  const int frames = run.frames / kFrames * kFrames;
  if (frames == 0) return 0;
  for (size_t k = 0; k < run.joints; ++k) JointFrames<D>(run, k).FindTurn(frames);
  for (int f = 0; f < frames; f += kFrames) {
    const FramesAt<D> at(run, f);
    for (size_t k = 0; k < run.joints; ++k) JointFrames<D>(run, k).Blend(at);
  }
  return frames;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_CONTINUITY_RUN_INL_H_
