// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/forward.h"

#include <algorithm>

#include "cpp/bvh/euler.h"

namespace ikstream::bvh {
namespace {

Vector3 Rotate(const Quaternion& q, const Vector3& v) {
  const Quaternion turned = Multiply(Multiply(q, {v[0], v[1], v[2], 0}), Conjugate(q));
  return {turned[0], turned[1], turned[2]};
}

Vector3 Add(const Vector3& a, const Vector3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

}  // namespace

std::vector<Vector3> ModelPositions(const Header& header, const ClipLayout& layout,
                                    std::span<const double> row) {
  const std::size_t count = header.joints.size();
  std::vector<Vector3> positions(count);
  std::vector<Quaternion> rotations(count);
  for (std::size_t i = 0; i < count; ++i) {
    const JointColumns& columns = layout.joints[i];
    const Vector3 position = LocalPosition(header, layout, static_cast<int>(i), row);
    const Quaternion rotation = FromEuler(columns.rotation, RotationAngles(columns, row));
    if (i == 0) {
      positions[i] = position;
      rotations[i] = rotation;
      continue;
    }
    const auto parent = static_cast<std::size_t>(header.joints[i].parent);
    positions[i] = Add(positions[parent], Rotate(rotations[parent], position));
    rotations[i] = Multiply(rotations[parent], rotation);
  }
  return positions;
}

std::vector<Vector3> RestPositions(const Header& header) {
  std::vector<Vector3> positions;
  for (const Joint& joint : header.joints) {
    const Vector3 base =
        joint.parent < 0 ? Vector3{} : positions[static_cast<std::size_t>(joint.parent)];
    positions.push_back(Add(base, joint.offset));
  }
  return positions;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace ikstream::bvh
