// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>

#include "core/field_error.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::LegSetup;

struct BadSetup {
  const char* name;
  std::function<void(v1::Setup&)> spoil;
  const char* field;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;

  friend void PrintTo(const BadSetup& test, std::ostream* out) { *out << test.name; }
};

v1::Joint& JointOf(v1::Setup& s, int i) {
  return *s.mutable_rig()->mutable_skeleton()->mutable_joints(i);
}
v1::Chain& ChainOf(v1::Setup& s) { return *s.mutable_rig()->mutable_chains(0); }
v1::HingeLimit& AddHinge(v1::Setup& s, int joint) {
  v1::JointLimit& limit = *s.mutable_rig()->add_limits();
  limit.set_joint(joint);
  limit.mutable_hinge()->mutable_axis()->set_x(1);
  return *limit.mutable_hinge();
}

v1::Collider& AddBall(v1::Setup& s) {
  v1::Collider& ball = *s.mutable_rig()->add_colliders();
  ball.set_radius(0.1f);
  return ball;
}

const BadSetup kBad[] = {
    {"NoJoints", [](v1::Setup& s) { s.mutable_rig()->clear_skeleton(); },
     "setup.rig.chains[0].root_joint"},
    {"NothingAtAll", [](v1::Setup& s) { s.clear_rig(); }, "setup.rig.skeleton.joints"},
    {"ParentOutOfRange", [](v1::Setup& s) { JointOf(s, 1).set_parent(99); },
     "setup.rig.skeleton.joints[1].parent"},
    {"ParentNegative", [](v1::Setup& s) { JointOf(s, 1).set_parent(-1); },
     "setup.rig.skeleton.joints[1].parent"},
    {"OwnParent", [](v1::Setup& s) { JointOf(s, 2).set_parent(2); },
     "setup.rig.skeleton.joints[2].parent"},
    {"Cycle", [](v1::Setup& s) { JointOf(s, 1).set_parent(2); },
     "setup.rig.skeleton.joints[1].parent"},
    {"TwoRoots", [](v1::Setup& s) { JointOf(s, 2).clear_parent(); },
     "setup.rig.skeleton.joints[2].parent"},
    {"OffsetNaN", [](v1::Setup& s) { JointOf(s, 1).mutable_offset()->set_y(NAN); },
     "setup.rig.skeleton.joints[1].offset"},
    {"OffsetTooFar", [](v1::Setup& s) { JointOf(s, 1).mutable_offset()->set_y(1e20f); },
     "setup.rig.skeleton.joints[1].offset"},
    {"RestZero", [](v1::Setup& s) { JointOf(s, 1).mutable_rest_rotation(); },
     "setup.rig.skeleton.joints[1].rest_rotation"},
    {"EndOutOfRange", [](v1::Setup& s) { ChainOf(s).set_end_joint(3); },
     "setup.rig.chains[0].end_joint"},
    {"EndAboveRoot",
     [](v1::Setup& s) {
       ChainOf(s).set_root_joint(2);
       ChainOf(s).set_end_joint(0);
     },
     "setup.rig.chains[0].end_joint"},
    {"NoBone", [](v1::Setup& s) { ChainOf(s).set_end_joint(0); },
     "setup.rig.chains[0].end_joint"},
    {"SoftReachCap", [](v1::Setup& s) { ChainOf(s).mutable_soft_reach()->set_cap(1.5f); },
     "setup.rig.chains[0].soft_reach.cap"},
    {"SoftReachZone", [](v1::Setup& s) { ChainOf(s).mutable_soft_reach()->set_zone(NAN); },
     "setup.rig.chains[0].soft_reach.zone"},
    {"RateOfTime", [](v1::Setup& s) { ChainOf(s).set_angular_velocities(true); },
     "setup.frames_per_second"},
    {"RateOfTemporal",
     [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_target_half_life_seconds(1); },
     "setup.frames_per_second"},
    {"HalfLife",
     [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_target_half_life_seconds(NAN); },
     "setup.rig.chains[0].temporal.target_half_life_seconds"},
    {"Cutoff",
     [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_one_euro_min_cutoff_hz(-1); },
     "setup.rig.chains[0].temporal.one_euro_min_cutoff_hz"},
    {"BetaAlone", [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_one_euro_beta_hz(1); },
     "setup.rig.chains[0].temporal.one_euro_min_cutoff_hz"},
    {"Beta", [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_one_euro_beta_hz(-1); },
     "setup.rig.chains[0].temporal.one_euro_beta_hz"},
    {"Rise",
     [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_weight_rise_per_second(-1); },
     "setup.rig.chains[0].temporal.weight_rise_per_second"},
    {"Fall",
     [](v1::Setup& s) { ChainOf(s).mutable_temporal()->set_weight_fall_per_second(INFINITY); },
     "setup.rig.chains[0].temporal.weight_fall_per_second"},
    {"SolveEvery", [](v1::Setup& s) { ChainOf(s).set_solve_every(-2); },
     "setup.rig.chains[0].solve_every"},
    {"SolveSeldom", [](v1::Setup& s) { ChainOf(s).set_solve_every(5000); },
     "setup.rig.chains[0].solve_every"},
    {"Between",
     [](v1::Setup& s) { ChainOf(s).set_between(static_cast<v1::Chain::Between>(9)); },
     "setup.rig.chains[0].between"},
    {"UnknownSolver", [](v1::Setup& s) { ChainOf(s).set_solver("magic"); },
     "setup.rig.chains[0].solver"},
    {"Iterations", [](v1::Setup& s) { ChainOf(s).set_max_iterations(1 << 30); },
     "setup.rig.chains[0].max_iterations"},
    {"Tolerance", [](v1::Setup& s) { ChainOf(s).set_tolerance(-1); },
     "setup.rig.chains[0].tolerance"},
    {"PoleWeight", [](v1::Setup& s) { ChainOf(s).mutable_pole()->set_weight(NAN); },
     "setup.rig.chains[0].pole.weight"},
    {"PoleKind",
     [](v1::Setup& s) { ChainOf(s).mutable_pole()->set_kind(static_cast<v1::Pole::Kind>(9)); },
     "setup.rig.chains[0].pole.kind"},
    {"LimitJoint", [](v1::Setup& s) { AddHinge(s, -5); }, "setup.rig.limits[0].joint"},
    {"LimitTwice",
     [](v1::Setup& s) {
       AddHinge(s, 1);
       AddHinge(s, 1);
     },
     "setup.rig.limits[1].joint"},
    {"LimitKind", [](v1::Setup& s) { s.mutable_rig()->add_limits(); },
     "setup.rig.limits[0].kind"},
    {"HingeAxis", [](v1::Setup& s) { AddHinge(s, 1).mutable_axis()->set_x(0); },
     "setup.rig.limits[0].hinge.axis"},
    {"HingeOrder", [](v1::Setup& s) { AddHinge(s, 1).set_min_rad(1); },
     "setup.rig.limits[0].hinge.max_rad"},
    {"ColliderJoint", [](v1::Setup& s) { AddBall(s).set_joint(3); },
     "setup.rig.colliders[0].joint"},
    {"ColliderRadius", [](v1::Setup& s) { AddBall(s).set_radius(-0.1f); },
     "setup.rig.colliders[0].radius"},
    {"ColliderRadiusNaN", [](v1::Setup& s) { AddBall(s).set_radius(NAN); },
     "setup.rig.colliders[0].radius"},
    {"ColliderSkin", [](v1::Setup& s) { AddBall(s).set_skin(INFINITY); },
     "setup.rig.colliders[0].skin"},
    {"ColliderEnd", [](v1::Setup& s) { AddBall(s).mutable_b()->set_z(NAN); },
     "setup.rig.colliders[0].b"},
    {"ColliderIgnoredBy",
     [](v1::Setup& s) {
       AddBall(s);
       AddBall(s).add_ignored_by(1);
     },
     "setup.rig.colliders[1].ignored_by[0]"},
    {"TooManyColliders",
     [](v1::Setup& s) {
       for (int i = 0; i < 1025; ++i) AddBall(s);
     },
     "setup.rig.colliders", absl::StatusCode::kResourceExhausted},
    {"PlaneNormal", [](v1::Setup& s) { ChainOf(s).mutable_plane_normal()->set_x(NAN); },
     "setup.rig.chains[0].plane_normal"},
    {"PlaneAlongBones", [](v1::Setup& s) { ChainOf(s).mutable_plane_normal()->set_y(1); },
     "setup.rig.chains[0].plane_normal"},
    {"PlaneOtherHinge",
     [](v1::Setup& s) {
       ChainOf(s).mutable_plane_normal()->set_z(1);
       AddHinge(s, 1);
     },
     "setup.rig.limits[0].hinge.axis"},
    {"PlaneCone",
     [](v1::Setup& s) {
       ChainOf(s).mutable_plane_normal()->set_z(1);
       AddHinge(s, 1);
       s.mutable_rig()->mutable_limits(0)->mutable_swing_twist()->set_swing_x_rad(1);
     },
     "setup.rig.limits[0].kind"},
    {"Stiffness", [](v1::Setup& s) { s.mutable_rig()->add_stiffness(); },
     "setup.rig.stiffness[0].stiffness"},
    {"Translated", [](v1::Setup& s) { s.add_translated_joints(7); },
     "setup.translated_joints[0]"},
    {"TranslatedRoot", [](v1::Setup& s) { s.add_translated_joints(0); },
     "setup.translated_joints[0]"},
    {"Up", [](v1::Setup& s) { s.mutable_rig()->set_up(static_cast<v1::UpAxis>(5)); },
     "setup.rig.up"},
    {"TooManyJoints",
     [](v1::Setup& s) {
       for (int i = 0; i < 5000; ++i)
         *s.mutable_rig()->mutable_skeleton()->add_joints() =
             testing::MakeJoint("", 0, {0, 0, 0});
     },
     "setup.rig.skeleton.joints", absl::StatusCode::kResourceExhausted},
};

class BadSetups : public ::testing::TestWithParam<BadSetup> {};

TEST_P(BadSetups, NamesTheField) {
  v1::Setup setup = LegSetup();
  GetParam().spoil(setup);
  Warnings warnings;
  const auto rig = ToRig(setup, Limits(), warnings);
  ASSERT_FALSE(rig.ok());
  EXPECT_EQ(FieldOf(rig.status()), GetParam().field) << rig.status();
  EXPECT_EQ(rig.status().code(), GetParam().code) << rig.status();
}

INSTANTIATE_TEST_SUITE_P(All, BadSetups, ::testing::ValuesIn(kBad),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ToRig, TakesTheLeg) {
  Warnings warnings;
  const auto rig = ToRig(LegSetup(), Limits(), warnings);
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_EQ((*rig)->skeleton().size(), 3);
  EXPECT_THAT((*rig)->driven_joints(), ::testing::ElementsAre(0, 1, 2));
  EXPECT_FLOAT_EQ((*rig)->chains()[0].length, 1.0f);
  EXPECT_TRUE(warnings.empty());
}

TEST(ToRig, TellsWhichSolversThereAre) {
  v1::Setup setup = LegSetup();
  ChainOf(setup).set_solver("magic");
  Warnings warnings;
  const auto rig = ToRig(setup, Limits(), warnings);
  EXPECT_THAT(std::string(rig.status().message()), ::testing::HasSubstr("two_bone"));
}

TEST(ToRig, NormalisesARestRotationWithAWarning) {
  v1::Setup setup = LegSetup();
  JointOf(setup, 1).mutable_rest_rotation()->set_w(2);
  Warnings warnings;
  ASSERT_TRUE(ToRig(setup, Limits(), warnings).ok());
  EXPECT_FALSE(warnings.empty());
}

}  // namespace
}  // namespace ikstream
