// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/rig.h"

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

std::string FieldAtFault(RigSpec spec) {
  return FieldOf(Rig::Create(std::move(spec)).status());
}

TEST(RigTest, ErrorsNameTheField) {
  RigSpec spec = Leg("auto");
  spec.chains[0].end_joint = 99;
  EXPECT_EQ(FieldAtFault(spec), "chains[0].end_joint");
  spec = Leg("auto");
  spec.chains[0].root_joint = -2;
  EXPECT_EQ(FieldAtFault(spec), "chains[0].root_joint");
  spec = Leg("no_such");
  EXPECT_EQ(FieldAtFault(spec), "chains[0].solver");
  spec = Leg("auto");
  spec.chains[0].max_iterations = 0;
  EXPECT_EQ(FieldAtFault(spec), "chains[0].max_iterations");
  spec = Leg("auto");
  spec.limits[1] = HingeLimit{{0, 0, 0}, 0, 1};
  EXPECT_EQ(FieldAtFault(spec), "limits[1].axis");
  spec.limits[1] = HingeLimit{{1, 0, 0}, 1, 0};
  EXPECT_EQ(FieldAtFault(spec), "limits[1].max");
  spec = Leg("auto");
  spec.limits.pop_back();
  EXPECT_EQ(FieldAtFault(spec), "limits");
  spec = Leg("auto");
  spec.joints[1].parent = 7;
  EXPECT_EQ(FieldAtFault(spec), "skeleton.joints[1].parent");
  spec = Leg("auto");
  spec.stiffness = {1, 0, 1};
  EXPECT_EQ(FieldAtFault(spec), "stiffness[1]");
  spec = StraightChain(3, 1, "two_bone");
  EXPECT_EQ(FieldAtFault(spec), "chains[0].solver");
}

// What single precision cannot take to the fourth power is refused, not answered with NaN.
TEST(RigTest, RefusesSizesThatCannotBeSolved) {
  RigSpec spec = StraightChain(3, 1, "fabrik");
  spec.joints[2].offset.x = 1e20f;
  EXPECT_EQ(FieldAtFault(spec), "skeleton.joints[2].offset");
  spec = StraightChain(3, 1, "fabrik");
  spec.chains[0].tip_offset = Vec3f{0, 2e8f, 0};
  EXPECT_EQ(FieldAtFault(spec), "chains[0].tip_offset");
  EXPECT_EQ(FieldAtFault(StraightChain(3, 9e7f, "fabrik")), "chains[0].end_joint");
  EXPECT_EQ(FieldAtFault(StraightChain(3, 1e-8f, "fabrik")), "chains[0].end_joint");
}

TEST(RigTest, MeasuresTheChain) {
  const auto rig = Rig::Create(Leg("auto"));
  ASSERT_TRUE(rig.ok());
  const Chain& chain = rig->chains()[0];
  EXPECT_EQ(chain.driven, (std::vector<int>{0, 1}));
  EXPECT_EQ(chain.turned, (std::vector<int>{0, 1, 2}));
  EXPECT_FLOAT_EQ(chain.length, 1);
  EXPECT_FLOAT_EQ(chain.tolerance, 1e-3f);
  // A straight leg bends to where its knee's hinge pushes the knee.
  EXPECT_NEAR(chain.rest_bend.z, 1, 1e-6);
}

// Where joints are shared, chains of lower numbers keep them: the others start below.
TEST(RigTest, ChainsAreSolvedByPriority) {
  RigSpec spec = StraightChain(6, 1, "auto");
  const ChainSpec whole = spec.chains[0];
  spec.chains = {whole, whole, whole};
  spec.chains[0].priority = 2;
  spec.chains[1].priority = 1;
  spec.chains[1].end_joint = 3;
  spec.chains[2].priority = 2;
  const auto rig = Rig::Create(spec);
  ASSERT_TRUE(rig.ok()) << rig.status();
  EXPECT_EQ(std::vector<int>(rig->solve_order().begin(), rig->solve_order().end()),
            (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(rig->chains()[1].driven, (std::vector<int>{0, 1, 2}));
  for (int c : {0, 2}) EXPECT_EQ(rig->chains()[c].driven, (std::vector<int>{3, 4, 5}));
  spec.chains[1].end_joint = 6;
  EXPECT_EQ(FieldAtFault(spec), "chains[0].priority");
}

}  // namespace
}  // namespace ikstream
