// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/result_writer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace ikstream {
namespace {

// Numbers per chain and frame: status, iterations, residual, angle, depth, up to 10 bytes for
// the varints.
constexpr std::int64_t kChainBytes = 24;
constexpr std::int64_t kFootBytes = 16;
// Left for field tags, joints' indices and warnings.
constexpr std::int64_t kHeadroom = 32 << 10;

bool IsAll(const std::vector<int>& joints, int count) {
  if (static_cast<int>(joints.size()) != count) return false;
  for (int i = 0; i < count; ++i)
    if (joints[i] != i) return false;
  return true;
}

float* Extend(google::protobuf::RepeatedField<float>& field, std::int64_t count) {
  field.Reserve(field.size() + static_cast<int>(count));
  return field.AddNAlreadyReserved(static_cast<int>(count));
}

void Add(google::protobuf::RepeatedField<float>& field, const float* data, std::int64_t count) {
  std::copy_n(data, count, Extend(field, count));
}

}  // namespace

ResultWriter::ResultWriter(Layout layout)
    : layout_(std::move(layout)),
      all_in_order_(IsAll(layout_.joints, layout_.skeleton_joints)),
      frame_bytes_(static_cast<std::int64_t>(layout_.joints.size()) * 16 +
                   (layout_.root ? 12 : 0) + 12 * layout_.translated +
                   layout_.chains * kChainBytes + layout_.feet * kFootBytes +
                   static_cast<std::int64_t>(layout_.velocity_joints.size()) * 12 + 1) {}

int ResultWriter::Room() const {
  if (layout_.max_bytes == 0) return std::numeric_limits<int>::max();
  const std::int64_t used = open_ ? reply_.motion().frame_count() : 0;
  const std::int64_t most =
      std::max<std::int64_t>(1, (layout_.max_bytes - kHeadroom) / frame_bytes_);
  return static_cast<int>(std::max<std::int64_t>(0, most - used));
}

v1::MotionResult& ResultWriter::Append(const SolvedFrames& solved) {
  v1::MotionResult& out = *reply_.mutable_motion();
  if (!open_) {
    open_ = true;
    out.set_first_frame(solved.first_frame);
    if (first_) {
      out.mutable_joints()->Add(layout_.joints.begin(), layout_.joints.end());
      out.mutable_angular_velocity_joints()->Add(layout_.velocity_joints.begin(),
                                                 layout_.velocity_joints.end());
    }
    first_ = false;
    for (int c = 0; c < layout_.chains; ++c) out.add_chains();
    for (int f = 0; f < layout_.feet; ++f) out.add_feet();
  }
  out.set_frame_count(out.frame_count() + solved.frames);
  AppendRotations(solved, out);
  if (layout_.root)
    Add(*out.mutable_root_positions(), solved.root_positions, 3LL * solved.frames);
  if (layout_.translated > 0)
    Add(*out.mutable_local_translations(), solved.translations,
        3LL * layout_.translated * solved.frames);
  return out;
}

void ResultWriter::AppendRotations(const SolvedFrames& solved, v1::MotionResult& out) const {
  const std::int64_t stride = 4LL * layout_.skeleton_joints;
  if (all_in_order_) {
    Add(*out.mutable_local_rotations(), solved.rotations, stride * solved.frames);
    return;
  }
  const auto sent = static_cast<std::int64_t>(layout_.joints.size());
  float* to = Extend(*out.mutable_local_rotations(), 4 * sent * solved.frames);
  for (int f = 0; f < solved.frames; ++f) {
    const float* from = solved.rotations + stride * f;
    for (int joint : layout_.joints) {
      std::memcpy(to, from + 4LL * joint, 4 * sizeof(float));
      to += 4;
    }
  }
}

void ResultWriter::Flush(std::vector<v1::SolveStreamResponse>& replies) {
  if (!open_) return;
  open_ = false;
  replies.push_back(std::move(reply_));
  reply_ = v1::SolveStreamResponse();
}

}  // namespace ikstream
