// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/plan_edit.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ikstream::cli {
namespace {

using Anchors = std::vector<std::int64_t>;

v1::Plan PlanOf(std::vector<std::pair<std::int64_t, std::int64_t>> intervals,
                const Anchors& anchors = {}) {
  v1::Plan plan;
  v1::FootPlan& foot = *plan.add_feet();
  foot.mutable_foot()->set_name("left");
  for (const auto& [begin, end] : intervals) {
    v1::ContactInterval& interval = *foot.add_intervals();
    interval.set_begin(begin);
    interval.set_end(end);
  }
  for (const std::int64_t begin : anchors)
    foot.mutable_intervals(0)->add_anchors()->set_begin(begin);
  return plan;
}

Anchors AnchorsOf(const v1::Plan& plan) {
  Anchors begins;
  for (const v1::Anchor& anchor : plan.feet(0).intervals(0).anchors())
    begins.push_back(anchor.begin());
  return begins;
}

TEST(TidyPlan, IntervalsMayStandInAnyOrder) {
  v1::Plan plan = PlanOf({{50, 60}, {90, 99}, {10, 20}});
  EXPECT_TRUE(TidyPlan(plan).empty());
  EXPECT_EQ(plan.feet(0).intervals(0).begin(), 10);
  EXPECT_EQ(plan.feet(0).intervals(1).end(), 60);
  EXPECT_EQ(plan.feet(0).intervals(2).begin(), 90);
}

TEST(TidyPlan, AMovedIntervalTakesItsAnchorsAlong) {
  struct Case {
    Anchors before, after;
  };
  // The interval is [50, 60).
  for (const Case& c :
       {Case{{40}, {50}}, Case{{55}, {50}}, Case{{70}, {50}}, Case{{30, 45}, {50}},
        Case{{30, 55}, {50, 55}}, Case{{50, 55, 60, 70}, {50, 55}}, Case{{50, 50}, {50}}}) {
    v1::Plan plan = PlanOf({{50, 60}}, c.before);
    const auto notes = TidyPlan(plan);
    EXPECT_EQ(AnchorsOf(plan), c.after);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("left 50:60"), std::string::npos);
  }
}

TEST(TidyPlan, WhatFitsIsLeftAlone) {
  for (const Anchors& fits : {Anchors{}, Anchors{50}, Anchors{50, 51, 59}}) {
    v1::Plan plan = PlanOf({{50, 60}}, fits);
    EXPECT_TRUE(TidyPlan(plan).empty());
    EXPECT_EQ(AnchorsOf(plan), fits);
  }
}

}  // namespace
}  // namespace ikstream::cli
