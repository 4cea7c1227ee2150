// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/frame_store.h"

#include <cstring>

namespace ikstream {

void FrameStore::Column::Append(const Track& track, int frames) {
  given = static_cast<bool>(track);
  for (int f = 0; given && f < frames; ++f)
    values.insert(values.end(), track.at(f), track.at(f) + width);
}

void FrameStore::Column::Drop(int frames) {
  if (given) values.erase(values.begin(), values.begin() + static_cast<long>(width) * frames);
}

Track FrameStore::Column::track() const {
  return given ? Track{values.data(), width} : Track{};
}

FrameStore::FrameStore(const Rig& rig)
    : joints_(rig.skeleton().size()),
      translated_(static_cast<int>(rig.translated_joints().size())),
      rotations_{4 * joints_},
      sent_{4 * joints_},
      translations_{3 * translated_},
      chains_(rig.chains().size()),
      targets_(rig.chains().size()) {}

bool FrameStore::Fits(const CheckedMotion& motion) const {
  const auto same = [](const Column& column, const Track& track) {
    return column.given == static_cast<bool>(track);
  };
  for (std::size_t c = 0; frames_ > 0 && c < chains_.size(); ++c) {
    const ChainTargets& other = motion.targets()[c];
    const ChainColumns& own = chains_[c];
    if (!same(own.positions, other.positions) || !same(own.rotations, other.rotations) ||
        !same(own.weights, other.weights) || !same(own.poles, other.poles))
      return false;
  }
  return true;
}

void FrameStore::Append(const CheckedMotion& motion) {
  const MotionView& view = motion.view();
  const int frames = view.frames;
  roots_.Append({view.root_positions, 3}, frames);
  rotations_.Append({view.local_rotations, 4 * joints_}, frames);
  sent_.Append({motion.sent_rotations(), 4 * joints_}, frames);
  translations_.Append({view.local_translations, 3 * translated_}, frames);
  normalised_ = normalised_ || !motion.normalised().empty();
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const ChainTargets& from = motion.targets()[c];
    chains_[c].positions.Append(from.positions, frames);
    chains_[c].rotations.Append(from.rotations, frames);
    chains_[c].weights.Append(from.weights, frames);
    chains_[c].poles.Append(from.poles, frames);
  }
  frames_ += frames;
  Point();
}

void FrameStore::Drop(int frames) {
  for (Column* column : {&roots_, &rotations_, &sent_, &translations_}) column->Drop(frames);
  for (ChainColumns& chain : chains_)
    for (Column* column : {&chain.positions, &chain.rotations, &chain.weights, &chain.poles})
      column->Drop(frames);
  frames_ -= frames;
  normalised_ = normalised_ && frames_ > 0;
  Point();
}

void FrameStore::Point() {
  for (std::size_t c = 0; c < chains_.size(); ++c)
    targets_[c] = {chains_[c].positions.track(), chains_[c].rotations.track(),
                   chains_[c].weights.track(), chains_[c].poles.track()};
}

MotionView FrameStore::view() const {
  return {frames_, roots_.values.data(), rotations_.values.data(), translations_.track().data};
}

void FrameStore::RestoreSent(float* rotations, int begin, int end) const {
  if (!normalised_) return;
  const std::int64_t joints = joints_;
  for (std::int64_t at = joints * begin; at < joints * end; ++at) {
    float* answer = rotations + 4 * (at - joints * begin);
    if (LoadQuat(answer) == LoadQuat(rotations_.values.data() + 4 * at))
      std::memcpy(answer, sent_.values.data() + 4 * at, 4 * sizeof(float));
  }
}

}  // namespace ikstream
