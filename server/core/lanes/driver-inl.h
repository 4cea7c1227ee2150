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
#include "core/lanes/steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// Problems from rotations, answers to rotations. Another Io may take and give other things.
struct PoseIo {
  static constexpr bool kTurning = true;  // StepTurning may be needed

  const ChainJob& job;

  template <class L>
  HWY_INLINE void In(const Columns<L>& columns, const Block<L> b) const {
    Intake(job, columns, b);
  }
  template <class L>
  HWY_INLINE void Out(const Columns<L>& columns, const Block<L> b) const {
    Outlet(job, columns, b);
  }
};

template <class S, class D, class Io>
class Driver {
 public:
  using L = Lane<D, std::min(S::kGroups, 2)>;
  using Wide = Lane<D, S::kGroups>;
  static constexpr int kRegister = L::kPerRegister;
  static constexpr int kPart = L::kWidth;
  static constexpr int kWidth = Wide::kWidth;

  Driver(const ChainJob& job, const Io& io, LaneSpace& space)
      : job_(job), io_(io), at_(job, job.ignore_rotation) {
    const auto rows = static_cast<size_t>(at_.rows);
    work_ = {job.chain, &at_, space.Floats(0, rows * kWidth), kWidth};
    in_ = {job.chain, &at_, space.Floats(1, rows * kPart), kPart};
    out_ = {job.chain, &at_, space.Floats(2, rows * kPart), kPart};
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
  // Bits of columns, lowest first.
  using Set = std::uint64_t;
  static constexpr Set First(int count) {
    return count == 64 ? ~Set{0} : (Set{1} << count) - 1;
  }
  // A copy into a register costs the same for one lane as for all: few idle lanes wait for
  // more.
  static constexpr int kLeastIdle = std::max(1, kRegister / 4);

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
      const Set all = First(in_columns_.count), done = Bits(S::Begin(in_)) & all;
      waiting_ = all & ~done;
      if (waiting_ == 0)
        io_.Out(in_columns_, in_);
      else
        PutOut(in_, done);
    }
    return true;
  }

  // Copies the columns `from` of the register at column a to the columns `to` of that at c.
  template <class A, class B>
  static void Move(Block<A> source, int a, Set from, Block<B> sink, int c, Set to,
                   RowRange rows) {
    const LaneMove<D> move(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    const std::ptrdiff_t source_stride = source.stride, sink_stride = sink.stride;
    const float* get = source.base + rows.first * source_stride + a;
    float* put = sink.base + rows.first * sink_stride + c;
    for (int r = rows.first; r < rows.last; ++r, get += source_stride, put += sink_stride)
      move.Copy(get, put);
  }

  template <class Part>
  void PutOut(Block<Part> source, Set done) {
    for (int a = 0; done != 0; a += kRegister, done >>= kRegister % 64)
      for (Set left = done & First(kRegister); left != 0;) {
        const int at = out_count_ % kRegister;
        const Set from = Lowest(left, kRegister - at);
        const int count = std::popcount(from);
        Move(source, a, from, out_, out_count_ - at, First(count) << at, at_.answer);
        out_count_ += count;
        left &= ~from;
        if (out_count_ == kPart) Flush();
      }
  }

  void Flush() {
    if (out_count_ == 0) return;
    Columns<L> columns;
    columns.count = out_count_;
    std::memcpy(columns.frame, out_.base + at_.frame * out_.stride, sizeof(columns.frame));
    for (int c = out_count_; c < kPart; ++c) columns.frame[c] = columns.frame[0];
    io_.Out(columns, out_);
    out_count_ = 0;
  }

  static Set Lowest(Set bits, int count) {
    Set lowest = 0;
    for (; bits != 0 && count > 0; bits &= bits - 1, --count) lowest |= bits & -bits;
    return lowest;
  }

  // Gives idle columns problems that have to iterate, as long as there are any.
  void Refill() {
    for (int c = 0; c < kWidth; c += kRegister) {
      Set idle = ~(active_ >> c) & First(kRegister);
      if (std::popcount(idle) < kLeastIdle) continue;
      while (idle != 0 && TakeIn()) {
        const int a = std::countr_zero(waiting_) / kRegister * kRegister;
        const Set from = Lowest((waiting_ >> a) & First(kRegister), std::popcount(idle));
        const Set to = Lowest(idle, std::popcount(from));
        Move(in_, a, from, work_, c, to, at_.carried);
        waiting_ &= ~(from << a);
        active_ |= to << c;
        idle &= ~to;
      }
    }
  }

  // Lets finished problems leave.
  void Advance(Set done) {
    done &= active_;
    active_ &= ~done;
    PutOut(work_, done);
  }

  const ChainJob& job_;
  const Io io_;
  const Layout at_;
  Block<Wide> work_;
  Block<L> in_, out_;
  Columns<L> in_columns_;
  int taken_ = 0;
  Set waiting_ = 0;  // columns of in_ that have to iterate
  Set active_ = 0;   // columns at work
  int out_count_ = 0;
};

// Solves the job's frames by S in registers of D.
template <class S, class D = hn::ScalableTag<float>>
HWY_NOINLINE void RunLanes(const ChainJob& job, LaneSpace& space) {
  Driver<S, D, PoseIo>(job, {job}, space).Run();
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_LANES_DRIVER_INL_H_
