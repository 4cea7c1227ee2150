// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gtest/gtest.h>

#include <limits>

#include "core/field_error.h"
#include "terrain/foot_geometry.h"
#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(PlacerCreate, FaultsNameTheField) {
  struct Case {
    const char* field;
    void (*change)(PlacerSpec&);
  };
  const Case cases[] = {
      {"frames_per_second", [](PlacerSpec& s) { s.frames_per_second = 0; }},
      {"frames_per_second", [](PlacerSpec& s) { s.frames_per_second = kNan; }},
      {"units_per_metre", [](PlacerSpec& s) { s.units_per_metre = -1; }},
      {"feet", [](PlacerSpec& s) { s.feet.clear(); }},
      {"feet[1].hip_joint", [](PlacerSpec& s) { s.feet[1].hip_joint = 99; }},
      {"feet[0].ankle_joint", [](PlacerSpec& s) { s.feet[0].ankle_joint = -1; }},
      {"feet[0].ankle_joint", [](PlacerSpec& s) { s.feet[0].ankle_joint = 0; }},
      {"feet[0].knee_joint", [](PlacerSpec& s) { s.feet[0].knee_joint = 1; }},
      {"feet[0].knee_joint", [](PlacerSpec& s) { s.feet[0].knee_joint = 7; }},
      {"feet[0].toe_joint", [](PlacerSpec& s) { s.feet[0].toe_joint = 8; }},
      {"feet[1].sole_normal",
       [](PlacerSpec& s) {
         s.feet[1].sole_normal = Vec3f{0, 0, 0};
       }},
      {"feet[1].sole_normal",
       [](PlacerSpec& s) {
         s.feet[1].sole_normal = Vec3f{kNan, 0, 0};
       }},
      {"feet[1].sole_radius_m", [](PlacerSpec& s) { s.feet[1].sole_radius_m = -1; }},
      {"feet[1].solver", [](PlacerSpec& s) { s.feet[1].solver = "magic"; }},
      {"feet[1]", [](PlacerSpec& s) { s.feet[1] = s.feet[0]; }},
  };
  for (const Case& c : cases) {
    Body body({.toes = true});
    c.change(body.spec);
    const auto placer = Placer::Create(body.spec);
    EXPECT_EQ(placer.status().code(), absl::StatusCode::kInvalidArgument) << c.field;
    EXPECT_EQ(FieldOf(placer.status()), c.field) << placer.status();
  }
}

TEST(PlacerCreate, WorksOutTheUnitFromTheLegs) {
  Body body({.scale = 100});
  body.spec.units_per_metre.reset();
  const auto placer = Placer::Create(body.spec);
  ASSERT_TRUE(placer.ok()) << placer.status();
  EXPECT_NEAR((*placer)->units_per_metre(), 100 / 0.85, 1e-4);
}

TEST(PlacerCreate, TellsWhatItDrives) {
  const Body body({.toes = true});
  const auto placer = Placer::Create(body.spec);
  ASSERT_TRUE(placer.ok());
  const auto driven = (*placer)->driven_joints();
  EXPECT_EQ(std::vector<int>(driven.begin(), driven.end()),
            (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ((*placer)->pelvis_joint(), 0);
}

TEST(MeasureFoot, ReadsTheSoleFromTheRestPose) {
  const Body body({.toes = true, .scale = 100});
  const Skeleton skeleton = *Skeleton::Create(body.spec.rig.joints);
  const auto foot = MeasureFoot(skeleton, body.spec.feet[1], UpAxis::kY);
  ASSERT_TRUE(foot.ok());
  EXPECT_NEAR(foot->heel_offset, 8, 1e-4);
  EXPECT_NEAR(foot->toe_offset, 2, 1e-4);
  EXPECT_NEAR(foot->length, 92, 1e-3);
  EXPECT_NEAR(foot->knee_forward.z, 1, 1e-6) << "along the foot";
}

// root (0) - spine (1, translated) - hips of both legs.
TEST(PelvisJoint, IsTheNearestThatHasTranslation) {
  std::vector<Joint> joints{{"root", -1, {}, {}, {}}, {"spine", 0, {0, 1, 0}, {}, {}}};
  std::vector<FootGeometry> feet(2);
  for (int leg = 0; leg < 2; ++leg) {
    const int hip = static_cast<int>(joints.size());
    joints.push_back({"hip", 1, {0, 0, 0}, {}, {}});
    joints.push_back({"ankle", hip, {0, -1, 0}, {}, {}});
    feet[leg].leg = {hip, hip + 1};
  }
  const Skeleton skeleton = *Skeleton::Create(joints);
  EXPECT_EQ(PelvisJoint(skeleton, feet, {}), 0);
  EXPECT_EQ(PelvisJoint(skeleton, feet, {1}), 1);
  EXPECT_EQ(PelvisJoint(skeleton, feet, {2}), 0) << "a hip does not carry both legs";
  EXPECT_EQ(PelvisJoint(skeleton, {feet[0]}, {1, 2}), 1) << "one leg: above its hip";
}

}  // namespace
}  // namespace ikstream::testing
