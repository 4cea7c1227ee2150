// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs a solver over the frames of a job. A problem that is done leaves its column at once and
// the next one takes it: frames need very different numbers of iterations, and lanes that wait
// for the slowest would cost most of the time.
//
// A solver is a struct S with
//   static constexpr bool kClosed    Begin is all of it
//   static constexpr int kGroups     registers side by side in StepFree
//   static constexpr int kBeginSteps iterations over positions that Begin makes
//   template <class L> static typename L::Mask Begin(const Block<L>&)       lanes that are done
//   template <class L> static typename L::Mask StepFree(const Block<L>&)    one iteration over
//                                    positions; lanes that are done
//   template <class L> static typename L::Mask StepTurning(const Block<L>&) the same over local
//                                    rotations
// What a single register does is done register by register; only StepFree, the hot loop, runs
// kGroups of them at once.
#if defined(IKSTREAM_CORE_LANES_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_DRIVER_INL_H_
#undef IKSTREAM_CORE_LANES_DRIVER_INL_H_
#else
#define IKSTREAM_CORE_LANES_DRIVER_INL_H_
#endif

#include <algorithm>

#include "core/lanes/outlet-inl.h"
#include "core/lanes/steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

template <class S, class D>
class Driver {
 public:
  using L = Lane<D, 1>;
  using Wide = Lane<D, S::kGroups>;
  static constexpr int kWidth = Wide::kWidth;
  static constexpr int kPart = L::kWidth;

  Driver(const ChainJob& job, LaneSpace& space) : job_(job), at_(job, job.ignore_rotation) {
    for (size_t i = 0; i < 3; ++i)
      blocks_[i] = {job.chain, &at_, space.Floats(i, static_cast<size_t>(at_.rows) * kWidth),
                    kWidth};
  }

  void Run() {
    if constexpr (S::kClosed) {
      RunClosed();
    } else {
      for (Refill(); active_ != 0; Refill()) Advance(Step());
      Flush();
    }
  }

 private:
  static constexpr std::uint64_t kPartBits = (std::uint64_t{1} << kPart) - 1;

  const Block<L>& in() const { return blocks_[0]; }
  const Block<L>& work() const { return blocks_[1]; }
  const Block<L>& out() const { return blocks_[2]; }

  // One iteration of all columns; bits of those that are done.
  std::uint64_t Step() {
    if (!at_.rotations) return Bits(S::StepFree(work().template Columns<Wide>(0)));
    std::uint64_t done = 0;
    for (int c = 0; c < kWidth; c += kPart)
      if (((active_ >> c) & kPartBits) != 0)
        done |= Bits(S::StepTurning(work().template Columns<L>(c))) << c;
    return done;
  }

  // Takes the next frames in, up to a register's width; false where there are none.
  bool TakeIn() {
    const int left = static_cast<int>(job_.frames.size()) - taken_;
    if (left <= 0) return false;
    in_columns_.count = std::min(left, kPart);
    for (int c = 0; c < kPart; ++c)
      in_columns_.frame[c] = job_.frames[taken_ + (c < in_columns_.count ? c : 0)];
    taken_ += in_columns_.count;
    in_next_ = 0;
    Intake(job_, in_columns_, in());
    in_done_ = Bits(S::Begin(in()));
    return true;
  }

  void RunClosed() {
    while (TakeIn()) {
      HWY_ALIGN_MAX float moved[kPart];
      in().Row(at_.moved).Store(moved);
      for (int c = 0; c < kPart; ++c) out_iterations_[c] = moved[c] > 0 ? 1 : 0;
      Outlet(job_, in_columns_, out_iterations_, in());
    }
  }

  void Copy(const Block<L>& from, int a, const Block<L>& to, int c) {
    for (int r = 0; r < at_.carry; ++r) to.base[r * kWidth + c] = from.base[r * kWidth + a];
  }

  void PutOut(const Block<L>& from, int column, int frame, int iterations) {
    const int c = out_columns_.count;
    out_columns_.count = c + 1;
    Copy(from, column, out(), c);
    out_columns_.frame[c] = frame;
    out_iterations_[c] = iterations;
    if (c + 1 == kPart) Flush();
  }

  void Flush() {
    if (out_columns_.count == 0) return;
    for (int c = std::max(1, out_columns_.count); c < kPart; ++c)
      out_columns_.frame[c] = out_columns_.frame[0];
    Outlet(job_, out_columns_, out_iterations_, out());
    out_columns_.count = 0;
  }

  // Gives every idle column a problem that has to iterate, as long as there are any.
  void Refill() {
    for (int c = 0; c < kWidth; ++c) {
      if ((active_ >> c) & 1) continue;
      for (;;) {
        if (in_next_ == in_columns_.count && !TakeIn()) return;
        const int a = in_next_++;
        if (((in_done_ >> a) & 1) == 0) {
          Copy(in(), a, work(), c);
          frame_[c] = in_columns_.frame[a];
          iterations_[c] = at_.rotations ? 0 : S::kBeginSteps;
          active_ |= std::uint64_t{1} << c;
          break;
        }
        PutOut(in(), a, in_columns_.frame[a], 0);
      }
    }
  }

  // Counts a step and lets finished problems leave.
  void Advance(std::uint64_t done) {
    for (int c = 0; c < kWidth; ++c) {
      if (((active_ >> c) & 1) == 0) continue;
      if (++iterations_[c] < job_.max_iterations && ((done >> c) & 1) == 0) continue;
      active_ &= ~(std::uint64_t{1} << c);
      PutOut(work(), c, frame_[c], iterations_[c]);
    }
  }

  const ChainJob& job_;
  const Layout at_;
  Block<L> blocks_[3];  // taken in, at work, to be answered
  Columns<L> in_columns_, out_columns_;
  int taken_ = 0;
  int in_next_ = 0;
  std::uint64_t in_done_ = 0;
  std::uint64_t active_ = 0;  // columns at work
  std::int32_t frame_[kWidth];
  std::int32_t iterations_[kWidth];
  std::int32_t out_iterations_[kPart];
};

// Solves the job's frames by S in registers of D.
template <class S, class D = hn::ScalableTag<float>>
HWY_NOINLINE void RunLanes(const ChainJob& job, LaneSpace& space) {
  Driver<S, D>(job, space).Run();
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_DRIVER_INL_H_
