// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/ground.h"

#include <gtest/gtest.h>

namespace ikstream {
namespace {

TEST(Ground, TiltedPlaneIsHitBelow) {
  const Vec3d normal = NormalizedOr(Vec3d{-0.2, 1, 0}, {});
  const PlaneGround plane({0, 1, 0}, normal, {0, 1, 0});
  const auto hit = plane.Hit(0, 0, FootPoint::kHeel, {5, 7, 3});
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->point.x, 5, 1e-12);
  EXPECT_NEAR(hit->point.y, 2, 1e-12);
  EXPECT_NEAR(hit->point.z, 3, 1e-12);
  EXPECT_EQ(hit->normal, normal);
}

TEST(Ground, RollingPassesItsKnotsAndHoldsItsEnds) {
  const RollingGround ground({0, 1, 2, 2}, 10, {0, 0, 1});
  EXPECT_NEAR(ground.Height(0), 0, 1e-12);
  EXPECT_NEAR(ground.Height(5), 1, 1e-12);
  EXPECT_NEAR(ground.Height(10), 2, 1e-12);
  EXPECT_NEAR(ground.Height(1000), 2, 1e-12);
  EXPECT_NEAR(ground.Height(-1000), 0, 1e-12);
  const auto hit = ground.Hit(5, 0, FootPoint::kToe, {3, 4, 9});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->point.x, 3);
  EXPECT_EQ(hit->point.y, 4);
  EXPECT_NEAR(hit->point.z, 1, 1e-12);
}

TEST(Ground, PlacementsInvert) {
  const Placement at{{1, 2, 3}, FromAxisAngle(NormalizedOr(Vec3d{1, 2, 2}, {}), 0.7)};
  const Vec3d p{4, -5, 6};
  EXPECT_NEAR(Length(at.FromWorld(at.ToWorld(p)) - p), 0, 1e-12);
}

}  // namespace
}  // namespace ikstream
