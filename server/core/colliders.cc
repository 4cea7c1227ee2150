// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/colliders.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/coordinates.h"
#include "core/field_error.h"
#include "core/rig.h"
#include "core/solve.h"

namespace ikstream {
namespace {

absl::Status CheckSize(float value, const char* field) {
  if (value >= 0 && value <= kMaxCoordinate) return absl::OkStatus();
  return FieldError(field, absl::StrCat(value, " is not between 0 and ", kMaxCoordinate));
}

int IndexIn(const std::vector<int>& list, int joint) {
  const auto found = std::find(list.begin(), list.end(), joint);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

// The turned joint that `joint` hangs from, -1 where it hangs from none.
int CarrierOf(const Skeleton& skeleton, const Chain& chain, int joint) {
  for (; joint != -1; joint = skeleton.joint(joint).parent)
    if (const int k = IndexIn(chain.turned, joint); k >= 0) return k;
  return -1;
}

// The place of `joint`, which is added after its parents where it is new.
int PlaceOf(const Skeleton& skeleton, int joint, ColliderPlaces& places) {
  if (const int known = IndexIn(places.joints, joint); known >= 0) return known;
  const int parent = skeleton.joint(joint).parent;
  const int above = parent < 0 ? -1 : PlaceOf(skeleton, parent, places);
  places.joints.push_back(joint);
  places.parents.push_back(above);
  return static_cast<int>(places.joints.size()) - 1;
}

int SlotOf(const Rig& rig, int joint) {
  const auto list = rig.translated_joints();
  const auto found = std::find(list.begin(), list.end(), joint);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

}  // namespace

absl::Status CheckCollider(const Collider& collider, int joints, int chains) {
  if (collider.joint < 0 || collider.joint >= joints)
    return FieldError("joint",
                      absl::StrCat(collider.joint, " is out of range [0, ", joints, ")"));
  if (auto s = CheckPoint(collider.a, "a"); !s.ok()) return s;
  if (collider.b)
    if (auto s = CheckPoint(*collider.b, "b"); !s.ok()) return s;
  if (auto s = CheckSize(collider.radius, "radius"); !s.ok()) return s;
  if (auto s = CheckSize(collider.skin, "skin"); !s.ok()) return s;
  for (size_t i = 0; i < collider.ignored_by.size(); ++i) {
    const int chain = collider.ignored_by[i];
    if (chain < 0 || chain >= chains)
      return FieldError(absl::StrCat("ignored_by[", i, "]"),
                        absl::StrCat(chain, " is out of range [0, ", chains, ")"));
  }
  return absl::OkStatus();
}

void FindColliders(const Rig& rig, int index, Chain& chain) {
  if (!(chain.length > 0)) return;  // a joint that looks at something: no bone
  const Skeleton& skeleton = rig.skeleton();
  ColliderPlaces& places = chain.collider_places;
  const int bones = static_cast<int>(chain.driven.size());
  for (const Collider& collider : rig.colliders()) {
    if (IndexIn(collider.ignored_by, index) >= 0) continue;
    if (IndexIn(chain.turned, collider.joint) >= 0) continue;
    const int carrier = CarrierOf(skeleton, chain, collider.joint);
    if (carrier + 1 >= bones) continue;
    ChainCollider out;
    out.place = PlaceOf(skeleton, collider.joint, places);
    out.a = collider.a;
    out.b = collider.b.value_or(collider.a);
    out.radius = collider.radius + collider.skin;
    out.carrier = carrier;
    chain.colliders.push_back(out);
  }
  if (chain.colliders.empty()) return;
  places.root = PlaceOf(skeleton, chain.spec.root_joint, places);
  places.above = places.parents[static_cast<size_t>(places.root)];
  for (int joint : chain.turned) places.turned.push_back(IndexIn(places.joints, joint));
}

ColliderTrack::ColliderTrack(const Rig& rig, const Chain& chain)
    : rig_(rig), chain_(chain), frames_(chain.collider_places.joints.size()) {
  for (int joint : chain.collider_places.joints) slots_.push_back(SlotOf(rig, joint));
}

// Forward kinematics of the joints that matter.
void ColliderTrack::Load(const MotionView& motion, const float* pose, int f) {
  const ColliderPlaces& places = chain_.collider_places;
  const float* rotations = pose + 4LL * rig_.skeleton().size() * f;
  const auto width = 3 * static_cast<long long>(rig_.translated_joints().size());
  for (size_t i = 0; i < frames_.size(); ++i) {
    const int joint = places.joints[i], parent = places.parents[i];
    const Quatd local = Normalized(Cast<double>(LoadQuat(rotations + 4LL * joint)));
    if (parent < 0) {
      frames_[i] = {Cast<double>(LoadVec3(motion.root_positions + 3LL * f)), local};
      continue;
    }
    const Frame& above = frames_[static_cast<size_t>(parent)];
    const Vec3f offset =
        slots_[i] < 0 ? rig_.skeleton().joint(joint).offset
                      : LoadVec3(motion.local_translations + width * f + 3LL * slots_[i]);
    frames_[i] = {above.origin + Rotate(above.rotation, Cast<double>(offset)),
                  Normalized(above.rotation * local)};
  }
}

Vec3f ColliderTrack::Seen(const Frame& from, const ChainCollider& collider, Vec3f point) const {
  const Frame& at = frames_[static_cast<size_t>(collider.place)];
  const Vec3d p = at.origin + Rotate(at.rotation, Cast<double>(point));
  return Cast<float>(Rotate(Conjugate(from.rotation), p - from.origin));
}

void ColliderTrack::Place(const MotionView& motion, const float* pose, float* out) {
  if (chain_.colliders.empty()) return;
  const ColliderPlaces& places = chain_.collider_places;
  for (int f = 0; f < motion.frames; ++f) {
    Load(motion, pose, f);
    const Quatd above =
        places.above < 0 ? Quatd{} : frames_[static_cast<size_t>(places.above)].rotation;
    const Frame space{frames_[static_cast<size_t>(places.root)].origin, above};
    for (const ChainCollider& collider : chain_.colliders) {
      const auto carrier = static_cast<size_t>(collider.carrier);
      const Frame& from =
          collider.carrier < 0 ? space : frames_[static_cast<size_t>(places.turned[carrier])];
      Store(Seen(from, collider, collider.a), out);
      Store(Seen(from, collider, collider.b), out + 3);
      out += 6;
    }
  }
}

}  // namespace ikstream
