// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/between.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ikstream {
namespace {

const Quatf kNone{};

}  // namespace

BetweenFrames::BetweenFrames(int solve_every, FramesBetween kind, size_t joints, size_t numbers)
    : every_(solve_every), kind_(kind) {
  if (!active()) return;
  for (Corrections* c : {&from_, &to_}) {
    c->d.resize(joints);
    c->numbers.resize(numbers);
  }
}

void BetweenFrames::Reset() {
  begun_ = false;
  from_.known = to_.known = false;
}

void BetweenFrames::Begin(std::int64_t first_frame, int frames) {
  first_ = first_frame;
  frames_ = frames;
  starts_ = !begun_;
  begun_ = true;
}

bool BetweenFrames::IsSolved(int frame) const {
  if (!active() || (first_ + frame) % every_ == 0) return true;
  if (starts_ && frame == 0) return true;
  return kind_ == FramesBetween::kInterpolate && frame == frames_ - 1;
}

void BetweenFrames::Fill(const BetweenRows& rows, const float* weights,
                         std::vector<std::int32_t>& moved) {
  moved.clear();
  if (kind_ == FramesBetween::kInterpolate)
    Interpolate(rows, weights, moved);
  else
    HoldEased(rows, weights, moved);
}

void BetweenFrames::Read(const BetweenRows& rows, const float* weights, int frame,
                         Corrections& out) const {
  out.known = weights[frame] > 0;
  const size_t joints = out.d.size(), numbers = out.numbers.size();
  const bool changed = out.known && rows.outcomes[frame].changed;
  for (size_t k = 0; k < joints; ++k) {
    const Quatf solved = LoadQuat(rows.solved + 4 * (joints * frame + k));
    const Quatf d = solved * Conjugate(LoadQuat(rows.start.at(frame, k)));
    out.d[k] = changed && Dot(Vec3f{d.x, d.y, d.z}, Vec3f{d.x, d.y, d.z}) > 1e-13f ? d : kNone;
  }
  for (size_t i = 0; i < numbers; ++i)
    out.numbers[i] = changed ? rows.numbers[numbers * frame + i] : 0;
}

void BetweenFrames::Write(const BetweenRows& rows, int frame, const Corrections& from,
                          const Corrections& to, float t) const {
  const size_t joints = from.d.size(), numbers = from.numbers.size();
  const bool known = from.known || to.known;
  const Corrections &a = from.known ? from : to, &b = to.known ? to : from;
  bool changed = false;
  for (size_t k = 0; k < joints; ++k) {
    const float* input = rows.start.at(frame, k);
    float* row = rows.solved + 4 * (joints * frame + k);
    if (!known || (a.d[k] == kNone && b.d[k] == kNone)) {
      std::memcpy(row, input, 4 * sizeof(float));
      continue;
    }
    Store(Normalized(Slerp(a.d[k], b.d[k], t) * LoadQuat(input)), row);
    changed = true;
  }
  for (size_t i = 0; i < numbers; ++i) {
    const float at = known ? a.numbers[i] + (b.numbers[i] - a.numbers[i]) * t : 0;
    rows.numbers[numbers * frame + i] = at;
    changed = changed || at != 0;
  }
  rows.outcomes[frame].changed = changed;
}

void BetweenFrames::Interpolate(const BetweenRows& rows, const float* weights,
                                std::vector<std::int32_t>& moved) {
  for (int f = 0; f < frames_;) {
    int next = f;
    while (!IsSolved(next)) ++next;  // the last frame of the batch is
    Read(rows, weights, next, to_);
    const auto span = static_cast<float>(first_ + next - from_frame_);
    for (; f < next; ++f) {
      if (!(weights[f] > 0)) continue;
      Write(rows, f, from_, to_, static_cast<float>(first_ + f - from_frame_) / span);
      moved.push_back(f);
    }
    std::swap(from_, to_);
    from_frame_ = first_ + next;
    f = next + 1;
  }
}

// A solved frame: eases from what was reached so far to what was solved.
void BetweenFrames::Ease(const BetweenRows& rows, const float* weights, int frame,
                         float reached) {
  for (size_t k = 0; k < from_.d.size(); ++k) from_.d[k] = Slerp(from_.d[k], to_.d[k], reached);
  for (size_t i = 0; i < from_.numbers.size(); ++i)
    from_.numbers[i] += (to_.numbers[i] - from_.numbers[i]) * reached;
  Read(rows, weights, frame, to_);
  from_.known = to_.known = true;
  from_frame_ = first_ + frame;
}

void BetweenFrames::HoldEased(const BetweenRows& rows, const float* weights,
                              std::vector<std::int32_t>& moved) {
  const auto share = [this](std::int64_t frame) {
    return std::min(1.0f,
                    static_cast<float>(frame - from_frame_ + 1) / static_cast<float>(every_));
  };
  for (int f = 0; f < frames_; ++f) {
    if (starts_ && f == 0) {
      // There is nothing to ease from: its row stays as it was solved.
      Ease(rows, weights, f, 1);
      from_.d = to_.d;
      from_.numbers = to_.numbers;
      continue;
    }
    if (IsSolved(f)) Ease(rows, weights, f, share(first_ + f - 1));
    if (!(weights[f] > 0)) continue;
    Write(rows, f, from_, to_, share(first_ + f));
    moved.push_back(f);
  }
}

}  // namespace ikstream
