// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/legs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/field_error.h"
#include "motion/leg_names.h"

namespace ikstream {
namespace {

// Names from the root down one leg and back up the other: hips, then two branches of equal
// length.
Skeleton TwoBranches(const std::vector<std::string>& left,
                     const std::vector<std::string>& right) {
  std::vector<Joint> joints;
  const auto add = [&](const std::string& name, int parent, Vec3f offset) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.offset = offset;
    joints.push_back(joint);
    return static_cast<int>(joints.size()) - 1;
  };
  add("root", -1, {});
  for (const auto* names : {&left, &right}) {
    int parent = 0;
    const float side = names == &left ? 0.1f : -0.1f;
    for (size_t i = 0; i < names->size(); ++i)
      parent = add((*names)[i], parent, i == 0 ? Vec3f{side, 0, 0} : Vec3f{0, -0.4f, 0.02f});
  }
  add("spine", 0, {0, 0.5f, 0});
  return *Skeleton::Create(joints);
}

void ExpectLegs(const std::vector<std::string>& left, const std::vector<std::string>& right,
                const std::string& hip, const std::string& knee, const std::string& ankle,
                const std::string& toe) {
  const Skeleton skeleton = TwoBranches(left, right);
  const FoundFeet found = FindFeet(skeleton, UpAxis::kY);
  ASSERT_EQ(found.feet.size(), 2u) << ankle;
  const Foot& foot = found.feet[0];
  EXPECT_EQ(skeleton.joint(foot.hip_joint).name, hip);
  EXPECT_EQ(skeleton.joint(*foot.knee_joint).name, knee);
  EXPECT_EQ(skeleton.joint(foot.ankle_joint).name, ankle);
  EXPECT_EQ(foot.toe_joint ? skeleton.joint(*foot.toe_joint).name : "", toe);
  EXPECT_NE(found.feet[0].name, found.feet[1].name);
}

TEST(Legs, UsualRigsByName) {
  ExpectLegs({"LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"},
             {"RHipJoint", "RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"}, "LeftUpLeg",
             "LeftLeg", "LeftFoot", "LeftToeBase");
  ExpectLegs({"LHipJoint", "LeftHip", "LeftKnee", "LeftAnkle", "LeftToe"},
             {"RHipJoint", "RightHip", "RightKnee", "RightAnkle", "RightToe"}, "LeftHip",
             "LeftKnee", "LeftAnkle", "LeftToe");
  ExpectLegs({"mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot",
              "mixamorig:LeftToeBase", "mixamorig:LeftToe_End"},
             {"mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot",
              "mixamorig:RightToeBase", "mixamorig:RightToe_End"},
             "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot",
             "mixamorig:LeftToeBase");
  ExpectLegs({"LeftThigh", "LeftShin", "LeftFoot", "LeftToe"},
             {"RightThigh", "RightShin", "RightFoot", "RightToe"}, "LeftThigh", "LeftShin",
             "LeftFoot", "LeftToe");
  ExpectLegs({"UpperLeg_L", "LowerLeg_L", "Foot_L", "Toes_L"},
             {"UpperLeg_R", "LowerLeg_R", "Foot_R", "Toes_R"}, "UpperLeg_L", "LowerLeg_L",
             "Foot_L", "Toes_L");
  ExpectLegs({"FK_L_upLeg_jnt", "FK_L_lowLeg_jnt", "FK_L_foot_jnt", "FK_L_toe_jnt"},
             {"FK_R_upLeg_jnt", "FK_R_lowLeg_jnt", "FK_R_foot_jnt", "FK_R_toe_jnt"},
             "FK_L_upLeg_jnt", "FK_L_lowLeg_jnt", "FK_L_foot_jnt", "FK_L_toe_jnt");
  ExpectLegs({"Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0"},
             {"Bip01 R Thigh", "Bip01 R Calf", "Bip01 R Foot", "Bip01 R Toe0"}, "Bip01 L Thigh",
             "Bip01 L Calf", "Bip01 L Foot", "Bip01 L Toe0");
  ExpectLegs({"L_Hip", "L_Knee", "L_Ankle", "L_Foot"}, {"R_Hip", "R_Knee", "R_Ankle", "R_Foot"},
             "L_Hip", "L_Knee", "L_Ankle", "L_Foot");
  ExpectLegs({"thigh_l", "calf_l", "foot_l", "ball_l"},
             {"thigh_r", "calf_r", "foot_r", "ball_r"}, "thigh_l", "calf_l", "foot_l",
             "ball_l");
}

TEST(Legs, TwistBonesLieBetweenHipAndKnee) {
  ExpectLegs({"DEF-thigh.L", "DEF-thigh.L.001", "DEF-shin.L", "DEF-shin.L.001", "DEF-foot.L",
              "DEF-toe.L"},
             {"DEF-thigh.R", "DEF-thigh.R.001", "DEF-shin.R", "DEF-shin.R.001", "DEF-foot.R",
              "DEF-toe.R"},
             "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-toe.L");
}

TEST(Legs, WithoutToes) {
  ExpectLegs({"LeftUpLeg", "LeftLeg", "LeftFoot"}, {"RightUpLeg", "RightLeg", "RightFoot"},
             "LeftUpLeg", "LeftLeg", "LeftFoot", "");
}

TEST(Legs, ByShapeWhereNamesSayNothing) {
  const Skeleton skeleton = TwoBranches({"a", "b", "c", "d"}, {"e", "f", "g", "h"});
  const FoundFeet found = FindFeet(skeleton, UpAxis::kY);
  ASSERT_EQ(found.feet.size(), 2u);
  EXPECT_EQ(skeleton.joint(found.feet[0].ankle_joint).name, "c");
  EXPECT_EQ(skeleton.joint(*found.feet[0].toe_joint).name, "d");
}

TEST(Legs, HandsControlsAndHelpersAreNone) {
  for (const char* name : {"LeftHand", "LeftForeArm", "foot_ik.L", "knee_pole.L",
                           "foot_roll_ctrl.R", "LeftFoot_End", "heel.02.L"})
    EXPECT_EQ(ReadName(name).part, LegPart::kNone) << name;
}

TEST(Legs, NoneFoundSaysWhatToDo) {
  const Skeleton skeleton = TwoBranches({"a"}, {"b"});
  const FoundFeet found = FindFeet(skeleton, UpAxis::kY);
  EXPECT_TRUE(found.feet.empty());
  ASSERT_EQ(found.text.size(), 1u);
  EXPECT_NE(found.text[0].find("rig.feet"), std::string::npos);
}

TEST(Legs, GivenFeetAreCompletedAndWin) {
  const Skeleton skeleton = TwoBranches({"LeftUpLeg", "LeftLeg", "LeftFoot"},
                                        {"RightUpLeg", "RightLeg", "RightFoot"});
  Foot foot;
  foot.hip_joint = 1;
  foot.ankle_joint = 3;
  const auto given = CompleteFeet(skeleton, UpAxis::kY, {foot});
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->front().knee_joint, 2);
  EXPECT_EQ(given->front().name, "LeftFoot");
  EXPECT_EQ(given->front().solver, "two_bone");
  EXPECT_EQ(*given->front().sole_normal, (Vec3f{0, 1, 0}));
  const auto joined = JoinFeet(*given, FindFeet(skeleton, UpAxis::kY).feet);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_EQ(joined[0].name, "LeftFoot");
  EXPECT_EQ(joined[1].name, "right");
}

TEST(Legs, ErrorsNameTheField) {
  const Skeleton skeleton = TwoBranches({"a", "b", "c"}, {"d", "e", "f"});
  const auto field = [&](int hip, int ankle, std::optional<int> knee, std::optional<int> toe) {
    Foot foot;
    foot.hip_joint = hip;
    foot.ankle_joint = ankle;
    foot.knee_joint = knee;
    foot.toe_joint = toe;
    return FieldOf(CompleteFeet(skeleton, UpAxis::kY, {foot}).status());
  };
  EXPECT_EQ(field(99, 3, {}, {}), "feet[0].hip_joint");
  EXPECT_EQ(field(1, -1, {}, {}), "feet[0].ankle_joint");
  EXPECT_EQ(field(1, 6, {}, {}), "feet[0].hip_joint");
  EXPECT_EQ(field(1, 2, {}, {}), "feet[0].hip_joint");
  EXPECT_EQ(field(1, 3, 5, {}), "feet[0].knee_joint");
  EXPECT_EQ(field(1, 3, {}, 6), "feet[0].toe_joint");
}

TEST(Units, FromTheLegsOrTheCaller) {
  const Skeleton skeleton = TwoBranches({"LeftUpLeg", "LeftLeg", "LeftFoot"},
                                        {"RightUpLeg", "RightLeg", "RightFoot"});
  const auto feet = FindFeet(skeleton, UpAxis::kY).feet;
  EXPECT_NEAR(*UnitsPerMetre(skeleton, feet, {}), LegLength(skeleton, feet[0]) / 0.85, 1e-9);
  EXPECT_EQ(*UnitsPerMetre(skeleton, feet, 100.0), 100.0);
  EXPECT_EQ(FieldOf(UnitsPerMetre(skeleton, {}, {}).status()), "units_per_metre");
  for (const double units : {0.0, -1.0, 1e-12, 1e12, std::nan("")})
    EXPECT_EQ(FieldOf(UnitsPerMetre(skeleton, feet, units).status()), "units_per_metre");
}

}  // namespace
}  // namespace ikstream
