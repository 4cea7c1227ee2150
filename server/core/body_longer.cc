// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// BodyItems: the solves of frames whose bones lengthen (core/body_stretch.h).
#include <algorithm>

#include "core/body_items.h"
#include "core/grow.h"

namespace ikstream {

// The last items of frames in which bones may have to lengthen.
void BodyItems::ListAsking(std::span<const std::int32_t> list) {
  asking_.clear();
  for (int f : list) {
    const FrameItems items = frames_[f];
    if (items.count == 0 || static_cast<size_t>(items.first) < kept_items_) continue;
    if (items_[items.first].frame != f) continue;  // it repeats another
    const auto first = static_cast<size_t>(items.first), last = first + items.count - 1;
    std::fill_n(extensions_.data() + stretch_.size() * first, stretch_.size(), 0.0f);
    if (stretch_.Asks(outcomes_.data() + group_.effectors.size() * last, items_[last].active))
      asking_.push_back(stretch_.MeasuringItem(items_[last]));
  }
}

// A frame that was measured as item `measured`: lengthens its bones, and lists its items.
void BodyItems::AddLonger(const MotionView& motion, std::span<const ChainTargets> targets,
                          const float* pose, int frame, size_t measured) {
  const FrameItems items = frames_[frame];
  const auto first = static_cast<size_t>(items.first), last = first + items.count - 1;
  float* extensions = extensions_.data() + stretch_.size() * first;
  if (!stretch_.Measure(motion, frame, pose, targets,
                        solved_.data() + 4 * group_.turned.size() * measured,
                        LoadVec3(moves_.data() + 3 * measured),
                        outcomes_.data() + group_.effectors.size() * last, extensions))
    return;
  const size_t width = 3 * rig_.translated_joints().size(), at = width * frame;
  std::copy_n(motion.local_translations + at, width, lengthened_.data() + at);
  stretch_.Lengthen(extensions, lengthened_.data() + at);
  for (size_t i = first; i <= last; ++i) {
    longer_.push_back(items_[i]);
    longer_items_.push_back(static_cast<std::int32_t>(i));
  }
}

void BodyItems::SolveLonger(const MotionView& motion, std::span<const ChainTargets> targets,
                            const float* pose, std::span<const std::int32_t> list,
                            LaneSpace& space) {
  const size_t first = items_.size();
  ListAsking(list);
  GrowTo(first + asking_.size());
  RunLanes(stretch_.measuring(), motion, targets, pose, asking_, first, space);
  longer_.clear();
  longer_items_.clear();
  Grow(lengthened_, 3 * rig_.translated_joints().size() * static_cast<size_t>(motion.frames));
  for (size_t i = 0; i < asking_.size(); ++i)
    AddLonger(motion, targets, pose, asking_[i].frame, first + i);
  GrowTo(first + longer_.size());
  MotionView longer = motion;
  longer.local_translations = lengthened_.data();
  RunLanes(group_, longer, targets, pose, longer_, first, space);
  for (size_t i = 0, end = 0; i < longer_.size(); i = end) {
    while (end < longer_.size() && longer_[end].frame == longer_[i].frame) ++end;
    if (KeepsLengths(longer_items_[end - 1], first + end - 1)) continue;
    for (size_t k = i; k < end; ++k)
      TakeAnswer(static_cast<size_t>(longer_items_[k]), first + k);
  }
}

// Whether the frame of the last item `own` is served better without longer bones.
bool BodyItems::KeepsLengths(std::int32_t own, size_t longer) {
  const auto item = static_cast<size_t>(own);
  const size_t effectors = group_.effectors.size();
  if (!stretch_.Loses(&outcomes_[effectors * longer], &outcomes_[effectors * item],
                      items_[item].active))
    return false;
  const auto first = static_cast<size_t>(frames_[items_[item].frame].first);
  std::fill_n(extensions_.data() + stretch_.size() * first, stretch_.size(), 0.0f);
  return true;
}

// Iterations of the first and the last solve count.
void BodyItems::TakeAnswer(size_t to, size_t from) {
  const auto take = [to, from](auto& list, size_t width) {
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                list.begin() + static_cast<std::ptrdiff_t>(to * width));
  };
  take(solved_, 4 * group_.turned.size());
  take(moves_, 3);
  const size_t effectors = group_.effectors.size();
  const std::int32_t before = outcomes_[effectors * to].iterations;
  take(outcomes_, effectors);
  for (size_t e = 0; e < effectors; ++e) {
    std::int32_t& iterations = outcomes_[effectors * to + e].iterations;
    iterations = std::min(iterations + before, group_.max_iterations);
  }
}

}  // namespace ikstream
