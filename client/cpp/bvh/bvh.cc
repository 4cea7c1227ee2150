// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/bvh.h"

#include <algorithm>
#include <cmath>

#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

constexpr std::array<std::string_view, 6> kChannelNames = {
    "Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};

bool AllFinite(const std::array<double, 3>& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isfinite(x); });
}

absl::Status JointError(std::size_t index, const Joint& joint, std::string_view what) {
  return absl::InvalidArgumentError(Cat("joints[", index, "] \"", joint.name, "\": ", what));
}

absl::Status ValidateJoint(const Header& header, std::size_t index, int first_channel) {
  const Joint& joint = header.joints[index];
  if (joint.first_channel != first_channel) {
    return JointError(index, joint, "first_channel does not follow the joint before");
  }
  unsigned seen = 0;
  for (Channel channel : joint.channels) {
    const unsigned bit = 1u << static_cast<unsigned>(channel);
    if (channel > Channel::kZRotation || (seen & bit) != 0) {
      return JointError(index, joint, "each channel may stand once");
    }
    seen |= bit;
  }
  if (!AllFinite(joint.offset) || (joint.end_site && !AllFinite(*joint.end_site))) {
    return JointError(index, joint, "offset is not finite");
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view ChannelName(Channel channel) {
  return kChannelNames[static_cast<std::size_t>(channel)];
}

std::span<const double> Rows::row(std::int64_t i) const {
  return std::span(values).subspan(static_cast<std::size_t>(i * channel_count),
                                   static_cast<std::size_t>(channel_count));
}

std::string_view Rows::row_text(std::int64_t i) const {
  const std::size_t begin = starts[static_cast<std::size_t>(i)];
  const bool last = i + 1 == count();
  const std::size_t end = last ? text.size() : starts[static_cast<std::size_t>(i) + 1];
  const std::string_view all = text;
  return all.substr(begin, end - begin);
}

void Rows::Clear(std::int64_t first, int channels) {
  first_frame = first;
  channel_count = channels;
  values.clear();
  text.clear();
  starts.clear();
}

void Rows::Append(const Rows& other) {
  const std::size_t base = text.size();
  text += other.text;
  values.insert(values.end(), other.values.begin(), other.values.end());
  for (std::size_t start : other.starts) starts.push_back(base + start);
}

Rows Rows::Slice(std::int64_t begin, std::int64_t end) const {
  Rows part;
  part.Clear(first_frame + begin, channel_count);
  if (begin >= end) return part;
  const std::size_t from = starts[static_cast<std::size_t>(begin)];
  const std::size_t to = end < count() ? starts[static_cast<std::size_t>(end)] : text.size();
  part.text = text.substr(from, to - from);
  part.values.assign(values.begin() + begin * channel_count,
                     values.begin() + end * channel_count);
  part.starts.assign(starts.begin() + begin, starts.begin() + end);
  for (std::size_t& start : part.starts) start -= from;
  return part;
}

Rows Rows::TakeFront(std::int64_t n) {
  Rows front;
  front.Clear(first_frame, channel_count);
  if (n >= count()) {
    std::swap(front, *this);
    Clear(front.end_frame(), front.channel_count);
    return front;
  }
  const auto rows = static_cast<std::ptrdiff_t>(std::max<std::int64_t>(n, 0));
  const std::size_t bytes = starts[static_cast<std::size_t>(rows)];
  const auto numbers = rows * channel_count;
  front.text = text.substr(0, bytes);
  front.starts.assign(starts.begin(), starts.begin() + rows);
  front.values.assign(values.begin(), values.begin() + numbers);
  text.erase(0, bytes);
  starts.erase(starts.begin(), starts.begin() + rows);
  for (std::size_t& start : starts) start -= bytes;
  values.erase(values.begin(), values.begin() + numbers);
  first_frame += rows;
  return front;
}

std::string HeaderTextWithFrames(const Header& header, std::int64_t frames) {
  const std::string_view text = header.text;
  return Cat(text.substr(0, header.frames_pos), frames,
             text.substr(std::min(text.size(), header.frames_pos + header.frames_size)));
}

absl::Status Validate(const Header& header) {
  if (header.joints.empty()) return absl::InvalidArgumentError("joints: a root is needed");
  std::vector<int> open;  // the joints whose braces would still be open
  int channels = 0;
  for (std::size_t i = 0; i < header.joints.size(); ++i) {
    const Joint& joint = header.joints[i];
    while (!open.empty() && open.back() != joint.parent) open.pop_back();
    const bool placed = i == 0 ? joint.parent == -1 : !open.empty();
    if (!placed) return JointError(i, joint, "parent breaks the depth-first order");
    if (joint.depth != static_cast<int>(open.size()))
      return JointError(i, joint, "wrong depth");
    open.push_back(static_cast<int>(i));
    if (absl::Status status = ValidateJoint(header, i, channels); !status.ok()) return status;
    channels += static_cast<int>(joint.channels.size());
  }
  if (channels < 1 || channels != header.channel_count) {
    return absl::InvalidArgumentError(
        Cat("channel_count: joints have ", channels, ", header says ", header.channel_count));
  }
  if (!std::isfinite(header.frame_time) || header.frame_time <= 0) {
    return absl::InvalidArgumentError("frame_time: expected a number above 0");
  }
  return absl::OkStatus();
}

}  // namespace ikstream::bvh
