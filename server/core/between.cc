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

BetweenFrames::BetweenFrames(const Chain& chain)
    : every_(chain.spec.solve_every), kind_(chain.spec.between) {
  if (!active()) return;
  from_.d.resize(chain.turned.size());
  to_.d.resize(chain.turned.size());
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

void BetweenFrames::Fill(const ChainJob& job, const float* weights,
                         std::vector<std::int32_t>& moved) {
  moved.clear();
  if (kind_ == FramesBetween::kInterpolate)
    Interpolate(job, weights, moved);
  else
    HoldEased(job, weights, moved);
}

void BetweenFrames::Read(const ChainJob& job, const float* weights, int frame,
                         Corrections& out) const {
  out.known = weights[frame] > 0;
  const size_t turned = out.d.size();
  const bool changed = out.known && job.outcomes[frame].changed;
  for (size_t k = 0; k < turned; ++k) {
    const Quatf solved = LoadQuat(job.solved + 4 * (turned * frame + k));
    const Quatf d = solved * Conjugate(LoadQuat(job.start.at(frame, k)));
    out.d[k] = changed && Dot(Vec3f{d.x, d.y, d.z}, Vec3f{d.x, d.y, d.z}) > 1e-13f ? d : kNone;
  }
}

void BetweenFrames::Write(const ChainJob& job, int frame, const Corrections& from,
                          const Corrections& to, float t) const {
  const size_t turned = from.d.size();
  bool changed = false;
  for (size_t k = 0; k < turned; ++k) {
    const float* input = job.start.at(frame, k);
    float* row = job.solved + 4 * (turned * frame + k);
    const Quatf a = from.known ? from.d[k] : to.d[k], b = to.known ? to.d[k] : from.d[k];
    if ((!from.known && !to.known) || (a == kNone && b == kNone)) {
      std::memcpy(row, input, 4 * sizeof(float));
      continue;
    }
    Store(Normalized(Slerp(a, b, t) * LoadQuat(input)), row);
    changed = true;
  }
  job.outcomes[frame].changed = changed;
}

void BetweenFrames::Interpolate(const ChainJob& job, const float* weights,
                                std::vector<std::int32_t>& moved) {
  for (int f = 0; f < frames_;) {
    int next = f;
    while (!IsSolved(next)) ++next;  // the last frame of the batch is
    Read(job, weights, next, to_);
    const auto span = static_cast<float>(first_ + next - from_frame_);
    for (; f < next; ++f) {
      if (!(weights[f] > 0)) continue;
      Write(job, f, from_, to_, static_cast<float>(first_ + f - from_frame_) / span);
      moved.push_back(f);
    }
    std::swap(from_, to_);
    from_frame_ = first_ + next;
    f = next + 1;
  }
}

void BetweenFrames::HoldEased(const ChainJob& job, const float* weights,
                              std::vector<std::int32_t>& moved) {
  const auto share = [this](std::int64_t frame) {
    return std::min(1.0f,
                    static_cast<float>(frame - from_frame_ + 1) / static_cast<float>(every_));
  };
  for (int f = 0; f < frames_; ++f) {
    if (IsSolved(f)) {
      const bool first = starts_ && f == 0;
      // What the frame before had is what is eased from.
      const float t = first ? 0 : share(first_ + f - 1);
      for (size_t k = 0; k < from_.d.size(); ++k)
        from_.d[k] = first ? kNone : Slerp(from_.d[k], to_.d[k], t);
      Read(job, weights, f, to_);
      from_.known = to_.known = true;
      from_frame_ = first_ + f;
      if (first) {
        // There is nothing to ease from: its row stays as it was solved.
        from_.d = to_.d;
        continue;
      }
    }
    if (!(weights[f] > 0)) continue;
    Write(job, f, from_, to_, share(first_ + f));
    moved.push_back(f);
  }
}

}  // namespace ikstream
