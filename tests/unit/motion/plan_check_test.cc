// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <gtest/gtest.h>

#include <cmath>

#include "core/field_error.h"
#include "unit/motion/body.h"

namespace ikstream {
namespace {

using test::BodyPose;

class PlanCheck : public ::testing::Test {
 protected:
  PlanCheck()
      : motion_(test::MakeBody(60, 30, 1, [](int) { return BodyPose{}; })),
        plan_(test::MakePlan(motion_)) {}

  // The field that ValidatePlan finds at fault after a change.
  template <class Change>
  std::string FieldAfter(Change change) {
    Plan plan = plan_;
    change(plan);
    return FieldOf(ValidatePlan(plan, motion_.clip));
  }

  test::Motion motion_;
  Plan plan_;
};

TEST_F(PlanCheck, PlansOfThePlannerAreValid) {
  EXPECT_TRUE(ValidatePlan(plan_, motion_.clip).ok());
  ASSERT_EQ(plan_.feet[0].intervals.size(), 1u);
}

TEST_F(PlanCheck, OfAnotherClip) {
  EXPECT_EQ(FieldAfter([](Plan& p) { p.joint_names[2] = "Tail"; }), "joint_names[2]");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.joint_names.pop_back(); }), "joint_names");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.frame_count = 61; }), "frame_count");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.frames_per_second = 60; }), "frames_per_second");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.up = UpAxis::kZ; }), "up");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.units_per_metre = NAN; }), "units_per_metre");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.feet.pop_back(); }), "feet");
}

TEST_F(PlanCheck, Intervals) {
  const auto set = [](Plan& p) -> ContactInterval& { return p.feet[0].intervals[0]; };
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p).end = 61; }), "feet[0].intervals[0].end");
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p).begin = -1; }), "feet[0].intervals[0].begin");
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p).end = set(p).begin; }),
            "feet[0].intervals[0].end");
  EXPECT_EQ(FieldAfter([&](Plan& p) { p.feet[0].intervals.push_back(set(p)); }),
            "feet[0].intervals[1].begin");
}

TEST_F(PlanCheck, Anchors) {
  const auto set = [](Plan& p) -> std::vector<Anchor>& {
    return p.feet[1].intervals[0].anchors;
  };
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p)[0].begin = 60; }),
            "feet[1].intervals[0].anchors[0].begin");
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p).push_back(set(p)[0]); }),
            "feet[1].intervals[0].anchors[1].begin");
  EXPECT_EQ(FieldAfter([&](Plan& p) { set(p)[0].position->y = INFINITY; }),
            "feet[1].intervals[0].anchors[0].position");
}

TEST_F(PlanCheck, Floor) {
  EXPECT_EQ(FieldAfter([](Plan& p) { p.floor = {}; }), "floor.kind");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.floor.normal = {}; }), "floor.normal");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.floor.normal = {0, -1, 0}; }), "floor.normal");
  EXPECT_EQ(FieldAfter([](Plan& p) { p.floor.kind = Floor::Kind::kRolling; }), "floor.knots");
}

TEST_F(PlanCheck, ContactsThatTheCallerGives) {
  ContactInterval interval;
  interval.begin = 10;
  interval.end = 20;
  const auto field = [&](std::vector<FootContacts> contacts) {
    return FieldOf(ValidateContacts(contacts, motion_.clip));
  };
  EXPECT_EQ(field({{0, {interval}}, {1, {interval}}}), "");
  EXPECT_EQ(field({{2, {interval}}}), "contacts[0].foot");
  EXPECT_EQ(field({{1, {interval}}, {1, {}}}), "contacts[1].foot");
  EXPECT_EQ(field({{0, {interval, interval}}}), "contacts[0].intervals[1].begin");
}

}  // namespace
}  // namespace ikstream
