// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rows of a BVH file as packed floats for a solver.
//
// Space: the file's own, right-handed, in the file's unit. model(i) = model(parent) local(i),
// where local(i) translates by the joint's position and then rotates. Nothing is scaled.
// Everything is a function of its arguments; batches of any size give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cpp/bvh/bvh.h"
#include "cpp/bvh/euler.h"

namespace ikstream::bvh {

// What position channels mean: the joint's position in its parent, instead of OFFSET (most
// exporters), or a shift from OFFSET.
enum class PositionConvention : std::uint8_t { kAuto, kReplace, kAdd };
std::string_view PositionConventionName(PositionConvention convention);

// Where a joint's position and rotation stand in a row.
struct JointColumns {
  RotationAxes rotation;
  std::array<int, 3> rotation_columns = {-1, -1, -1};  // in the order of rotation.axes
  std::array<int, 3> position_columns = {-1, -1, -1};  // of x, y, z; -1: none
  bool has_position() const;
};

struct ClipLayout {
  std::vector<JointColumns> joints;
  std::vector<int> translated_joints;  // those but the root that have a position channel
  // What was taken, never kAuto, and why. A root without position channels: kReplace.
  PositionConvention root_positions = PositionConvention::kReplace;
  PositionConvention other_positions = PositionConvention::kReplace;
  std::string root_why;
  std::string other_why;

  // What must be added to a position channel of this joint to get its position.
  double Base(const Header& header, int joint, int axis) const;
};

// Rows beyond this are not looked at by kAuto and by MeasureRig (facts.h), so that a stream
// whose first batch has this many rows decides as one call with the whole file does.
inline constexpr std::int64_t kSampleRows = 64;

// The layout of a header. kAuto is decided on the first rows of the file: the root's by
// where the lowest joint comes to stand (on a floor at 0 rather than OFFSET above or below
// it), other joints' by whether their channels are nearer to OFFSET or to 0.
// INVALID_ARGUMENT where sample is not the start of a file with this header.
absl::StatusOr<ClipLayout> MakeLayout(
    const Header& header, const Rows& sample,
    PositionConvention convention = PositionConvention::kAuto);

struct Clip {
  std::int64_t first_frame = 0;
  std::int64_t frame_count = 0;
  std::vector<float> root_positions;      // 3 F
  std::vector<float> local_rotations;     // 4 J F, x y z w, frame-major, joints in file order
  std::vector<float> local_translations;  // 3 T F for layout.translated_joints: they replace
                                          // OFFSET
};

// REQUIRES: rows has header.channel_count channels, layout belongs to header.
Clip ToClip(const Header& header, const ClipLayout& layout, const Rows& rows);

// One joint of one row, as ToClip packs it. An axis without channel has OFFSET.
std::array<float, 4> LocalRotation(const JointColumns& columns, std::span<const double> row);
std::array<double, 3> LocalPosition(const Header& header, const ClipLayout& layout, int joint,
                                    std::span<const double> row);
Angles RotationAngles(const JointColumns& columns, std::span<const double> row);

// The rotations of whole rows: what LocalRotation has, some times as fast.
class RowRotations {
 public:
  // Rows one after another.
  void Read(std::span<const double> values);
  // Of the row whose first number is values[first].
  std::array<float, 4> LocalRotation(const JointColumns& columns, std::size_t first) const;

 private:
  std::vector<double> halves_, sines_, cosines_;
};

}  // namespace ikstream::bvh
