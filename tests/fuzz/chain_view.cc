// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/chain_view.h"

#include <algorithm>
#include <cmath>

namespace ikstream::fuzz {
namespace {

template <class T>
size_t PlaceIn(const std::vector<T>& list, T value) {
  return static_cast<size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

double PointDistance(Vec3d p, Vec3d a, Vec3d b) {
  const Vec3d v = b - a;
  const double size = Dot(v, v);
  const double t = size > 0 ? std::clamp(Dot(p - a, v) / size, 0.0, 1.0) : 0;
  return Length(p - (a + v * t));
}

// The distance of a point on the one to the other is convex: a ternary search finds the least.
double SegmentDistance(Vec3d p, Vec3d q, Vec3d a, Vec3d b) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double one = low + (high - low) / 3, two = high - (high - low) / 3;
    if (PointDistance(p + (q - p) * one, a, b) < PointDistance(p + (q - p) * two, a, b))
      high = two;
    else
      low = one;
  }
  return PointDistance(p + (q - p) * ((low + high) / 2), a, b);
}

}  // namespace

ChainView::ChainView(const Rig& rig, size_t chain, const PoseView& pose)
    : rig_(rig), index_(static_cast<int>(chain)), chain_(rig.chains()[chain]) {
  ForwardKinematics(rig.skeleton(), pose, rig.translated_joints(), pose_);
}

Vec3d ChainView::End() const {
  return At(chain_.spec.end_joint, chain_.spec.tip_offset.value_or(Vec3f{}));
}

Ray ChainView::RayTo(Vec3d target) const {
  const Vec3d axis = Rotate(EndRotation(), Cast<double>(chain_.aim_axis));
  const Vec3d way = target - End();
  const double across = Length(Cross(axis, way)), along = Dot(axis, way);
  return {std::atan2(across, along), along > 0 ? across : Length(way), Length(way)};
}

Vec3d ChainView::BoneEnd(size_t k) const {
  return k + 1 < chain_.turned.size() ? Place(chain_.turned[k + 1]) : End();
}

double ChainView::Reach() const {
  double reach = 0;
  for (size_t k = 0; k < chain_.driven.size(); ++k)
    reach += Length(BoneEnd(k) - Place(chain_.driven[k]));
  return reach;
}

// Bones up to the joint that carries the collider move with it: they have no say.
size_t ChainView::FirstBoneThatMeets(const Collider& collider) const {
  const auto& ignored = collider.ignored_by;
  if (std::find(ignored.begin(), ignored.end(), index_) != ignored.end())
    return chain_.driven.size();
  const size_t turned = chain_.turned.size();
  if (PlaceIn(chain_.turned, collider.joint) < turned) return chain_.driven.size();
  for (int joint = collider.joint; joint >= 0; joint = rig_.skeleton().joint(joint).parent)
    if (const size_t k = PlaceIn(chain_.turned, joint); k < turned) return k + 1;
  return 0;
}

double ChainView::DepthIn(const Collider& collider, Part part) const {
  const Vec3d a = At(collider.joint, collider.a),
              b = At(collider.joint, collider.b.value_or(collider.a)), root = Root();
  const double radius = static_cast<double>(collider.radius) + collider.skin;
  const double at_root = std::min(radius, SegmentDistance(root, root, a, b));
  double depth = 0;
  for (size_t k = FirstBoneThatMeets(collider); k < chain_.driven.size(); ++k) {
    const Vec3d begin = Place(chain_.driven[k]);
    const bool held = part == kAvoidable && Length(begin - root) <= 1e-9 * chain_.length;
    depth =
        std::max(depth, (held ? at_root : radius) - SegmentDistance(begin, BoneEnd(k), a, b));
  }
  return depth;
}

double ChainView::DepthOf(Part part) const {
  double depth = 0;
  if (!(chain_.length > 0)) return depth;
  for (const Collider& collider : rig_.colliders())
    depth = std::max(depth, DepthIn(collider, part));
  return depth;
}

// The plane's normal, in the space of the pose.
Vec3d ChainView::Normal() const {
  const int above = rig_.skeleton().joint(chain_.spec.root_joint).parent;
  const Quatd parent = above < 0 ? Quatd{} : pose_.rotations[Index(above)];
  return Rotate(parent, Cast<double>(chain_.plane->normal));
}

double ChainView::Lean(const ChainView& from) const {
  const Vec3d normal = Normal();
  double worst = 0;
  for (const int joint : chain_.turned) {
    const Quatd turn =
        pose_.rotations[Index(joint)] * Conjugate(from.pose_.rotations[Index(joint)]);
    const Vec3d v{turn.x, turn.y, turn.z};
    worst = std::max(worst, 2 * Length(v - normal * Dot(v, normal)));
  }
  return worst;
}

std::optional<double> ChainView::PlanarTurn(size_t k) const {
  const Joint& joint = rig_.skeleton().joint(chain_.turned[k]);
  const Quatd above = joint.parent < 0 ? Quatd{} : pose_.rotations[Index(joint.parent)];
  const Quatd back = Conjugate(above * Cast<double>(joint.rest));
  const Quatd d = back * pose_.rotations[Index(chain_.turned[k])];
  const Vec3d axis = Rotate(back, Normal());
  const double along = Dot(Vec3d{d.x, d.y, d.z}, axis);
  if (std::hypot(along, d.w) < 0.1) return std::nullopt;
  Vec3d at_rest = Cast<double>(chain_.plane->normal);
  for (size_t i = 0; i <= k; ++i)
    at_rest =
        Rotate(Conjugate(Cast<double>(rig_.skeleton().joint(chain_.turned[i]).rest)), at_rest);
  const auto* hinge = std::get_if<HingeLimit>(&rig_.limit(chain_.turned[k]));
  const bool same = hinge == nullptr || Dot(Cast<double>(hinge->axis), at_rest) > 0;
  return 2 * std::atan2(same ? along : -along, d.w);
}

double ChainView::Rounding(Vec3d point) const {
  const Vec3d origin = pose_.positions[Index(rig_.skeleton().root())];
  double size = Length(point - origin) + Length(origin) + Length(point);
  for (const int joint : chain_.prefix) size += Length(Place(joint) - origin);
  size += Length(Place(chain_.spec.root_joint) - origin);
  return 2e-5 * chain_.length + 2e-6 * size;
}

double ChainView::DepthRounding() const {
  double size = 0;
  for (const Collider& collider : rig_.colliders())
    size += Length(Cast<double>(collider.a)) + static_cast<double>(collider.radius) +
            Length(Cast<double>(collider.b.value_or(Vec3f{})));
  return Rounding(Root()) + 2e-6 * size;
}

}  // namespace ikstream::fuzz
