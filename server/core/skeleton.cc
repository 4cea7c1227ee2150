// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/skeleton.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/coordinates.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

std::string Field(int joint, absl::string_view name) {
  return absl::StrCat("joints[", joint, "].", name);
}

absl::Status CheckJoint(const std::vector<Joint>& joints, int i) {
  const Joint& joint = joints[i];
  const int count = static_cast<int>(joints.size());
  if (joint.parent < -1 || joint.parent >= count)
    return FieldError(Field(i, "parent"),
                      absl::StrCat(joint.parent, " is out of range [0, ", count, ")"));
  if (joint.parent == i) return FieldError(Field(i, "parent"), "a joint is its own parent");
  if (auto s = CheckPoint(joint.offset, Field(i, "offset")); !s.ok()) return s;
  if (joint.tip)
    if (auto s = CheckPoint(*joint.tip, Field(i, "tip")); !s.ok()) return s;
  const float norm = Dot(joint.rest, joint.rest);
  if (!(std::abs(norm - 1) < 1e-3f))
    return FieldError(Field(i, "rest_rotation"), "is not a unit quaternion");
  return absl::OkStatus();
}

absl::StatusOr<int> FindRoot(const std::vector<Joint>& joints) {
  int root = -1;
  for (int i = 0; i < static_cast<int>(joints.size()); ++i) {
    if (joints[i].parent != -1) continue;
    if (root != -1)
      return FieldError(Field(i, "parent"),
                        absl::StrCat("is unset, but joints[", root,
                                     "] is the root already: a skeleton has exactly one"));
    root = i;
  }
  if (root == -1)
    return FieldError("joints", "no joint is the root (its parent unset): a cycle");
  return root;
}

}  // namespace

absl::Status CheckPoint(Vec3f point, absl::string_view field) {
  for (const float x : {point.x, point.y, point.z}) {
    if (!std::isfinite(x)) return FieldError(field, "is not finite");
    if (std::abs(x) > kMaxCoordinate)
      return FieldError(field, absl::StrCat(x, " is beyond ", kMaxCoordinate,
                                            " rig units: choose a larger unit"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Skeleton> Skeleton::Create(std::vector<Joint> joints) {
  if (joints.empty()) return FieldError("joints", "is empty: a skeleton needs a joint");
  const int count = static_cast<int>(joints.size());
  for (int i = 0; i < count; ++i)
    if (absl::Status status = CheckJoint(joints, i); !status.ok()) return status;
  const auto root = FindRoot(joints);
  if (!root.ok()) return root.status();

  Skeleton out;
  out.children_.resize(count);
  for (int i = 0; i < count; ++i)
    if (joints[i].parent >= 0) out.children_[joints[i].parent].push_back(i);
  out.order_.reserve(count);
  out.order_.push_back(*root);
  for (size_t k = 0; k < out.order_.size(); ++k)
    for (int child : out.children_[out.order_[k]]) out.order_.push_back(child);
  if (out.order_.size() != joints.size()) {
    std::vector<bool> seen(count);
    for (int i : out.order_) seen[i] = true;
    const auto lost = std::find(seen.begin(), seen.end(), false) - seen.begin();
    return FieldError(Field(static_cast<int>(lost), "parent"),
                      "leads back to the joint itself: a cycle");
  }
  for (Joint& joint : joints) joint.rest = Normalized(joint.rest);
  out.joints_ = std::move(joints);
  return out;
}

std::vector<int> Skeleton::Path(int from, int to) const {
  std::vector<int> path;
  for (int i = to; i != -1; i = joints_[i].parent) {
    path.push_back(i);
    if (i == from) {
      std::reverse(path.begin(), path.end());
      return path;
    }
  }
  return {};
}

void ForwardKinematics(const Skeleton& skeleton, const PoseView& pose,
                       std::span<const int> translated, ModelPose& out) {
  const int count = skeleton.size();
  out.positions.resize(count);
  out.rotations.resize(count);
  // Offsets go into the positions first, so that translations can replace them.
  for (int i = 0; i < count; ++i) out.positions[i] = Cast<double>(skeleton.joint(i).offset);
  if (pose.local_translations != nullptr)
    for (size_t t = 0; t < translated.size(); ++t)
      out.positions[translated[t]] = Cast<double>(LoadVec3(pose.local_translations + 3 * t));
  for (int i : skeleton.order()) {
    const Quatd local = Cast<double>(LoadQuat(pose.local_rotations + 4 * i));
    const int parent = skeleton.joint(i).parent;
    if (parent < 0) {
      out.positions[i] = Cast<double>(LoadVec3(pose.root_position));
      out.rotations[i] = Normalized(local);
    } else {
      out.positions[i] =
          out.positions[parent] + Rotate(out.rotations[parent], out.positions[i]);
      out.rotations[i] = Normalized(out.rotations[parent] * local);
    }
  }
}

}  // namespace ikstream
