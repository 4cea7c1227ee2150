// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/clip.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "cpp/bvh/forward.h"
#include "cpp/bvh/text.h"
#include "cpp/bvh/trig_lanes.h"

namespace ikstream::bvh {
namespace {

// Rows whose sines are worked out at once: enough for the lanes, few enough for the cache.
constexpr std::int64_t kRowsAtOnce = 8;

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

JointColumns ColumnsOf(const Joint& joint) {
  JointColumns columns;
  for (std::size_t i = 0; i < joint.channels.size(); ++i) {
    const int column = joint.first_channel + static_cast<int>(i);
    const int axis = AxisOf(joint.channels[i]);
    if (IsRotation(joint.channels[i])) {
      const std::size_t slot = Index(columns.rotation.count++);
      columns.rotation.axes[slot] = axis;
      columns.rotation_columns[slot] = column;
    } else {
      columns.position_columns[Index(axis)] = column;
    }
  }
  return columns;
}

std::int64_t SampleCount(const Rows& rows) { return std::min(rows.count(), kSampleRows); }

std::array<float, 4> AsFloats(const Quaternion& q) {
  return {static_cast<float>(q[0]), static_cast<float>(q[1]), static_cast<float>(q[2]),
          static_cast<float>(q[3])};
}

// How far a joint's channels are from its OFFSET and from 0, along the axes that it has.
void AddDistances(const Joint& joint, const JointColumns& columns, std::span<const double> row,
                  double* from_offset, double* from_zero) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (columns.position_columns[axis] < 0) continue;
    const double value = row[Index(columns.position_columns[axis])];
    *from_offset += std::abs(value - joint.offset[axis]);
    *from_zero += std::abs(value);
  }
}

void DecideOthers(const Header& header, const Rows& sample, ClipLayout* layout) {
  if (layout->translated_joints.empty()) {
    layout->other_why = "no joint but the root has positions";
    return;
  }
  double from_offset = 0;
  double from_zero = 0;
  for (std::int64_t frame = 0; frame < SampleCount(sample); ++frame) {
    for (int joint : layout->translated_joints) {
      AddDistances(header.joints[Index(joint)], layout->joints[Index(joint)], sample.row(frame),
                   &from_offset, &from_zero);
    }
  }
  const bool add = from_zero < from_offset;
  layout->other_positions = add ? PositionConvention::kAdd : PositionConvention::kReplace;
  layout->other_why = Cat("their channels are nearer to ", add ? "0" : "OFFSET");
}

// Of the two vertical axes that occur, the one along which the root's OFFSET is longer.
std::size_t LongerVertical(const Vector3& offset) {
  return std::abs(offset[1]) >= std::abs(offset[2]) ? 1 : 2;
}

double MedianLowest(const Header& header, const ClipLayout& layout, const Rows& sample,
                    std::size_t axis) {
  std::vector<double> lowest;
  for (std::int64_t frame = 0; frame < SampleCount(sample); ++frame) {
    const std::vector<Vector3> positions = ModelPositions(header, layout, sample.row(frame));
    const auto least = std::min_element(
        positions.begin(), positions.end(),
        [axis](const Vector3& a, const Vector3& b) { return a[axis] < b[axis]; });
    lowest.push_back((*least)[axis]);
  }
  return Median(std::move(lowest));
}

void DecideRoot(const Header& header, const Rows& sample, ClipLayout* layout) {
  layout->root_positions = PositionConvention::kReplace;
  const Joint& root = header.joints[0];
  const std::size_t axis = LongerVertical(root.offset);
  if (layout->joints[0].position_columns[axis] < 0) {
    layout->root_why = "the root has no vertical position channel";
    return;
  }
  if (root.offset[axis] == 0) {
    layout->root_why = "the root's OFFSET is 0 upwards, so both agree there";
    return;
  }
  const double replaced = MedianLowest(header, *layout, sample, axis);
  const double added = replaced + root.offset[axis];
  const bool add = std::abs(added) < std::abs(replaced);
  if (add) layout->root_positions = PositionConvention::kAdd;
  layout->root_why = absl::StrFormat(
      "the lowest joint comes to %.4g along %c, with the other convention to %.4g",
      add ? added : replaced, "XYZ"[axis], add ? replaced : added);
}

}  // namespace

std::string_view PositionConventionName(PositionConvention convention) {
  switch (convention) {
    case PositionConvention::kReplace:
      return "replace";
    case PositionConvention::kAdd:
      return "add";
    default:
      return "auto";
  }
}

bool JointColumns::has_position() const {
  return position_columns != std::array<int, 3>{-1, -1, -1};
}

double ClipLayout::Base(const Header& header, int joint, int axis) const {
  const PositionConvention convention = joint == 0 ? root_positions : other_positions;
  return convention == PositionConvention::kAdd
             ? header.joints[Index(joint)].offset[Index(axis)]
             : 0;
}

absl::StatusOr<ClipLayout> MakeLayout(const Header& header, const Rows& sample,
                                      PositionConvention convention) {
  if (absl::Status status = Validate(header); !status.ok()) return status;
  if (sample.channel_count != header.channel_count || sample.count() == 0 ||
      sample.first_frame != 0) {
    return absl::InvalidArgumentError("sample: expected the first rows of the header's file");
  }
  ClipLayout layout;
  for (std::size_t i = 0; i < header.joints.size(); ++i) {
    layout.joints.push_back(ColumnsOf(header.joints[i]));
    if (i > 0 && layout.joints[i].has_position()) {
      layout.translated_joints.push_back(static_cast<int>(i));
    }
  }
  if (convention == PositionConvention::kAuto) {
    DecideOthers(header, sample, &layout);
    DecideRoot(header, sample, &layout);
  } else {
    layout.root_positions = layout.other_positions = convention;
    layout.root_why = layout.other_why = "set by the caller";
  }
  return layout;
}

Angles RotationAngles(const JointColumns& columns, std::span<const double> row) {
  Angles angles = {0, 0, 0};
  for (int i = 0; i < columns.rotation.count; ++i) {
    angles[Index(i)] = row[Index(columns.rotation_columns[Index(i)])];
  }
  return angles;
}

std::array<float, 4> LocalRotation(const JointColumns& columns, std::span<const double> row) {
  return AsFloats(FromEuler(columns.rotation, RotationAngles(columns, row)));
}

void RowRotations::Read(std::span<const double> values) {
  const std::size_t size = (values.size() + kTrigBlock - 1) / kTrigBlock * kTrigBlock;
  halves_.resize(size);
  sines_.resize(size);
  cosines_.resize(size);
  for (std::size_t i = 0; i < values.size(); ++i) halves_[i] = 0.5 * values[i];
  SinesAndCosines(halves_, sines_, cosines_);
}

std::array<float, 4> RowRotations::LocalRotation(const JointColumns& columns,
                                                 std::size_t first) const {
  std::array<SineCosine, 3> halves;
  for (int i = 0; i < columns.rotation.count; ++i) {
    const std::size_t column = first + Index(columns.rotation_columns[Index(i)]);
    halves[Index(i)] = {sines_[column], cosines_[column]};
  }
  return AsFloats(FromHalves(columns.rotation, halves));
}

std::array<double, 3> LocalPosition(const Header& header, const ClipLayout& layout, int joint,
                                    std::span<const double> row) {
  std::array<double, 3> position = header.joints[Index(joint)].offset;
  const JointColumns& columns = layout.joints[Index(joint)];
  for (int axis = 0; axis < 3; ++axis) {
    const int column = columns.position_columns[Index(axis)];
    if (column < 0) continue;
    position[Index(axis)] = layout.Base(header, joint, axis) + row[Index(column)];
  }
  return position;
}

namespace {

void AppendPosition(const std::array<double, 3>& position, std::vector<float>* out) {
  for (double component : position) out->push_back(static_cast<float>(component));
}

}  // namespace

Clip ToClip(const Header& header, const ClipLayout& layout, const Rows& rows) {
  Clip clip;
  clip.first_frame = rows.first_frame;
  clip.frame_count = rows.count();
  const auto frames = static_cast<std::size_t>(rows.count());
  clip.root_positions.reserve(3 * frames);
  clip.local_rotations.reserve(4 * frames * layout.joints.size());
  clip.local_translations.reserve(3 * frames * layout.translated_joints.size());
  RowRotations rotations;
  const auto columns_per_row = Index(rows.channel_count);
  for (std::int64_t frame = 0; frame < rows.count(); ++frame) {
    const std::span<const double> row = rows.row(frame);
    const std::int64_t within = frame % kRowsAtOnce;
    if (within == 0) {
      const std::int64_t end = std::min(frame + kRowsAtOnce, rows.count());
      rotations.Read({row.data(), static_cast<std::size_t>(end - frame) * columns_per_row});
    }
    AppendPosition(LocalPosition(header, layout, 0, row), &clip.root_positions);
    for (const JointColumns& columns : layout.joints) {
      const std::array<float, 4> q =
          rotations.LocalRotation(columns, static_cast<std::size_t>(within) * columns_per_row);
      clip.local_rotations.insert(clip.local_rotations.end(), q.begin(), q.end());
    }
    for (int joint : layout.translated_joints) {
      AppendPosition(LocalPosition(header, layout, joint, row), &clip.local_translations);
    }
  }
  return clip;
}

}  // namespace ikstream::bvh
