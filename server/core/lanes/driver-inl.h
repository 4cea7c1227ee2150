// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs a solver over the frames of a job. A problem that is done leaves its column at once and
// the next one takes it: frames need very different numbers of iterations, and lanes that wait
// for the slowest would cost most of the time.
//
// A solver is a struct S with
//   static constexpr bool kClosed    Begin is all of it: all lanes are done
//   static constexpr int kGroups     registers side by side in StepFree
//   template <class L> static typename L::Mask Begin(Block<L>)       lanes that are done
//   template <class L> static typename L::Mask StepFree(Block<L>)    one iteration over
//                                    positions; lanes that are done
//   template <class L> static typename L::Mask StepTurning(Block<L>) the same over local
//                                    rotations
// Chains of joints are chains of dependent instructions: two registers side by side hide much
// of their latency. The hot loop, StepFree, takes kGroups of them.
#if defined(IKSTREAM_CORE_LANES_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_LANES_DRIVER_INL_H_
#undef IKSTREAM_CORE_LANES_DRIVER_INL_H_
#else
#define IKSTREAM_CORE_LANES_DRIVER_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/lanes/outlet-inl.h"
#include "core/lanes/packing-inl.h"
#include "core/lanes/steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

inline constexpr int kCacheLine = 16;  // floats

// Problems from rotations, answers to rotations; Ahead asks for the memory of a frame. Another
// Io may take and give other things.
struct PoseIo {
  static constexpr bool kTurning = true;  // StepTurning may be needed

  const ChainJob& job;

  HWY_INLINE void Ahead(int frame) const {
    const size_t turned = job.chain->turned.size();
    for (size_t k = 0; k < turned; ++k) __builtin_prefetch(job.start.at(frame, k));
    const float* solved = job.solved + 4 * turned * static_cast<size_t>(frame);
    for (size_t at = 0; at < 4 * turned; at += kCacheLine) __builtin_prefetch(solved + at, 1);
    __builtin_prefetch(solved + 4 * turned - 1, 1);
  }

  template <class L>
  HWY_INLINE void In(const Columns<L>& columns, const Block<L> b) const {
    Intake(job, columns, b);
  }
  template <class L>
  HWY_INLINE void Out(const Columns<L>& columns, const Block<L> b) const {
    Outlet(job, columns, b);
  }
};

template <class S, class D, class Io, int kGroups = S::kGroups>
class Driver {
 public:
  using L = Lane<D, std::min(kGroups, 2)>;
  using Wide = Lane<D, kGroups>;
  using Move = Packing<D>;
  static constexpr int kRegister = L::kPerRegister;
  static constexpr int kPart = L::kWidth;
  static constexpr int kWidth = Wide::kWidth;

  Driver(const ChainJob& job, const Io& io, LaneSpace& space)
      : job_(job), io_(io), at_(job, job.ignore_rotation) {
    const auto rows = static_cast<size_t>(at_.rows);
    work_ = {{}, job.chain, &at_, space.Floats(0, rows * kWidth), kWidth};
    in_ = {{}, job.chain, &at_, space.Floats(1, rows * kSide), kSide};
    out_ = {{}, job.chain, &at_, space.Floats(2, rows * kSide), kSide};
    work_.PutPos(0, V3<Wide>::Set({}));
    out_.PutPos(0, V3<L>::Set({}));
  }

  void Run() {
    if constexpr (S::kClosed) {
      TakeIn();
    } else {
      for (Refill(); active_ != 0; Refill()) Advance(Step());
      Flush();
    }
  }

 private:
  using Set = typename Move::Set;
  static constexpr Set First(int count) { return Move::First(count); }
  // Calls of more frames find them in memory, not in the cache. A closed form is soon done with
  // a frame, so that what asking costs shows.
  static constexpr size_t kFar = S::kClosed ? 32768 : 1024;
  // A copy into a register costs the same for one lane as for all: few idle lanes wait for
  // more.
  static constexpr int kLeastIdle = std::max(1, kRegister / 4);
  // Columns of in_ and out_: a register more, so that a whole one can be read or written from
  // any column on.
  static constexpr int kSide = kPart + kRegister;

  // One iteration of all columns; bits of those that are done.
  Set Step() {
    if (!Io::kTurning || !at_.rotations) return Count(work_, S::StepFree(work_));
    Set done = 0;
    if constexpr (Io::kTurning)
      for (int c = 0; c < kWidth; c += kPart) {
        const Block<L> part = work_.template Columns<L>(c);
        if (((active_ >> c) & First(kPart)) != 0)
          done |= Count(part, S::StepTurning(part)) << c;
      }
    return done;
  }

  // Counts an iteration; adds the lanes that have no more to those that are done.
  template <class Part>
  Set Count(Block<Part> b, const typename Part::Mask& done) {
    const Part age = b.Row(at_.age) + Part::Set(1);
    b.Put(at_.age, age);
    return Bits(done | (age >= Part::Set(static_cast<float>(job_.max_iterations))));
  }

  // Asks for the memory of frames that are taken in later, so many at a time that requests do
  // not queue up.
  void Ahead(int count) {
    ahead_ = std::max(ahead_, taken_);
    const int last =
        std::min({ahead_ + count, taken_ + 4 * kPart, static_cast<int>(job_.frames.size())});
    for (; ahead_ < last; ++ahead_) io_.Ahead(job_.frames[static_cast<size_t>(ahead_)]);
  }

  // Takes frames in until some have to iterate; false where there are none left. Those that are
  // done leave.
  bool TakeIn() {
    while (waiting_ == 0) {
      const int left = static_cast<int>(job_.frames.size()) - taken_;
      if (left <= 0) return false;
      in_columns_.count = std::min(left, kPart);
      for (int c = 0; c < kPart; ++c)
        in_columns_.frame[c] = job_.frames[taken_ + (c < in_columns_.count ? c : 0)];
      in_columns_.row = in_columns_.count == kPart &&
                        in_columns_.frame[kPart - 1] - in_columns_.frame[0] == kPart - 1;
      taken_ += in_columns_.count;
      io_.In(in_columns_, in_);
      // What begins with an iteration may have no other.
      const auto begun = S::Begin(in_);
      const auto late = in_.Row(at_.age) >= L::Set(static_cast<float>(job_.max_iterations));
      const Set all = First(in_columns_.count), done = Bits(begun | late) & all;
      if (done == all) {
        if (far_) Ahead(in_columns_.count);
        io_.Out(in_columns_, in_);
        continue;
      }
      first_waiting_ = 0;
      waiting_ = in_columns_.count;
      if (done == 0) continue;
      PutOut<kSide>(in_, done);
      waiting_ = PackWaiting(all & ~done);
    }
    return true;
  }

  // Moves the columns of in_ that stay to its first ones; returns how many.
  int PackWaiting(Set stay) {
    int count = 0;
    while (stay != 0) {
      const Set part = Move::Lowest(stay, std::min(std::popcount(stay), kRegister));
      count = Move::template Pack<kSide, kSide>(in_, part, in_, count, at_.carried);
      stay &= ~part;
    }
    return count;
  }

  // Where registers are few, what orders those of a block would not fit beside them: then one
  // after the other is packed.
  template <int kFrom, class Part>
  void PutOut(Block<Part> source, Set done) {
    if constexpr (Part::K > Move::kTogether) {
      for (int c = 0; done != 0; c += kRegister, done >>= kRegister)
        if (const Set part = done & First(kRegister); part != 0)
          PutOut<kFrom>(source.template Columns<Lane<D, 1>>(c), part);
      return;
    }
    // No more than a register at a time is over where the block is full.
    while (done != 0) {
      const Set part = Move::Lowest(done, std::min(std::popcount(done), kRegister));
      out_count_ =
          Move::template Pack<kFrom, kSide>(source, part, out_, out_count_, at_.answer);
      done &= ~part;
      if (out_count_ >= kPart) Flush();
    }
  }

  // Answers the first kPart columns of out_; what is over moves to their place.
  void Flush() {
    Columns<L> columns;
    columns.count = std::min(out_count_, kPart);
    if (columns.count == 0) return;
    std::memcpy(columns.frame, out_.base + at_.frame * out_.stride, sizeof(columns.frame));
    for (int c = columns.count; c < kPart; ++c) columns.frame[c] = columns.frame[0];
    io_.Out(columns, out_);
    out_count_ -= columns.count;
    if (out_count_ == 0) return;
    const D d;
    for (int r = at_.answer.first; r < at_.answer.last; ++r) {
      float* row = out_.base + r * out_.stride;
      hn::Store(hn::Load(d, row + kPart), d, row);
    }
  }

  // Gives idle columns problems that have to iterate, as long as there are any.
  void Refill() {
    for (int c = 0; c < kWidth; c += kRegister) {
      Set idle = ~(active_ >> c) & First(kRegister);
      if (std::popcount(idle) < kLeastIdle) continue;
      while (idle != 0 && TakeIn()) {
        const Set to = Move::Lowest(idle, waiting_);
        const int count = std::popcount(to);
        Move::template Spread<kSide, kWidth>(in_, first_waiting_, work_, c, to, at_.carried);
        first_waiting_ += count;
        waiting_ -= count;
        active_ |= to << c;
        idle &= ~to;
      }
    }
  }

  // Lets finished problems leave.
  void Advance(Set done) {
    done &= active_;
    active_ &= ~done;
    if (far_) Ahead(std::popcount(done) + 4);
    PutOut<kWidth>(work_, done);
  }

  const ChainJob& job_;
  const Io io_;
  const Layout at_;
  Block<Wide> work_;
  Block<L> in_, out_;
  Columns<L> in_columns_;
  const bool far_ = job_.frames.size() > kFar;
  int taken_ = 0, ahead_ = 0;
  int first_waiting_ = 0, waiting_ = 0;  // columns of in_ that have to iterate
  Set active_ = 0;                       // columns at work
  int out_count_ = 0;                    // columns of out_ to be answered
};

// Solves the job's frames by S in registers of D; in one small register where they fill no more
// than that, since a frame that is solved alone would wait for the rows of all lanes.
template <class S, class D = hn::ScalableTag<float>, class Io = PoseIo>
HWY_NOINLINE void RunLanes(const ChainJob& job, const Io& io, LaneSpace& space) {
  using Few = hn::CappedTag<float, 4>;
  if constexpr (hn::MaxLanes(Few()) > 1)
    if (job.frames.size() <= hn::MaxLanes(Few()))
      return Driver<S, Few, Io, 1>(job, io, space).Run();
  Driver<S, D, Io>(job, io, space).Run();
}
template <class S, class D = hn::ScalableTag<float>>
void RunLanes(const ChainJob& job, LaneSpace& space) {
  RunLanes<S, D, PoseIo>(job, {job}, space);
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_DRIVER_INL_H_
