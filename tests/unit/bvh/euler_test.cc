// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/euler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

class EulerTest : public testing::TestWithParam<RotationAxes> {
 protected:
  const RotationAxes axes_ = GetParam();
  Random random_{20240229};

  Angles RandomAngles(double most) {
    Angles angles = {0, 0, 0};
    for (int i = 0; i < axes_.count; ++i) {
      angles[static_cast<std::size_t>(i)] = Uniform(random_, -most, most);
    }
    return angles;
  }

  double Distance(const Angles& a, const Angles& b) const {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
  }
};

TEST_P(EulerTest, QuaternionIsTheProductOfTheRotations) {
  for (int i = 0; i < 1000; ++i) {
    const Angles angles = RandomAngles(720);
    const Matrix expected = MatrixFromEuler(axes_, angles);
    ASSERT_LT(Difference(MatrixFromQuaternion(FromEuler(axes_, angles)), expected), 1e-12);
  }
}

TEST_P(EulerTest, RepresentableRotationsComeBackExactly) {
  for (int i = 0; i < 2000; ++i) {
    const Angles angles = RandomAngles(720);
    const Quaternion q = FromEuler(axes_, angles);
    const Angles found = ToEuler(axes_, q, RandomAngles(2000));
    ASSERT_LT(AngleBetween(MatrixFromEuler(axes_, found), MatrixFromEuler(axes_, angles)),
              5e-6);
  }
}

TEST_P(EulerTest, ANearReferenceGivesTheSourcesOwnAngles) {
  for (int i = 0; i < 2000; ++i) {
    Angles angles = RandomAngles(3000);
    if (std::abs(std::cos(angles[1] * 0.017453292519943295)) < 0.01) continue;
    Angles reference = angles;
    for (double& angle : reference) angle += Uniform(random_, -1e-3, 1e-3);
    const Angles found = ToEuler(axes_, FromEuler(axes_, angles), reference);
    ASSERT_LT(Distance(found, angles), 1e-9);
  }
}

TEST_P(EulerTest, SignOfTheQuaternionDoesNotMatter) {
  for (int i = 0; i < 500; ++i) {
    const Quaternion q = RandomRotation(random_);
    const Angles reference = RandomAngles(400);
    const Angles a = ToEuler(axes_, q, reference);
    const Angles b = ToEuler(axes_, {-q[0], -q[1], -q[2], -q[3]}, reference);
    ASSERT_LT(Distance(a, b), 1e-9);
  }
}

// No whole turn of any angle and no other branch comes nearer to the reference.
TEST_P(EulerTest, NoOtherSolutionIsNearerToTheReference) {
  for (int i = 0; i < 2000; ++i) {
    const Quaternion q = RandomRotation(random_);
    const Angles reference = RandomAngles(1000);
    const Angles found = ToEuler(axes_, q, reference);
    Angles other = {found[0] + 180, 180 - found[1], found[2] + 180};
    if (axes_.count < 3) other = found;
    for (std::size_t k = 0; k < 3; ++k) {
      other[k] += 360 * std::round((reference[k] - other[k]) / 360);
      if (static_cast<int>(k) >= axes_.count) continue;
      ASSERT_LE(std::abs(found[k] - reference[k]), 180.0001);
    }
    ASSERT_LE(Distance(found, reference), Distance(other, reference) + 1e-9);
  }
}

// With fewer than three axes: no point of a fine grid is nearer to the wanted rotation.
TEST_P(EulerTest, NearestRepresentableRotation) {
  if (axes_.count == 3) return;
  for (int i = 0; i < 20; ++i) {
    const Quaternion q = RandomRotation(random_);
    const Matrix wanted = MatrixFromQuaternion(q);
    const Angles found = ToEuler(axes_, q, {0, 0, 0});
    const double loss = AngleBetween(MatrixFromEuler(axes_, found), wanted);
    EXPECT_NEAR(AngleBetween(FromEuler(axes_, found), q), loss, 1e-6);
    for (double a = -180; a < 180; a += 3) {
      for (double b = -180; b < (axes_.count == 2 ? 180 : -179); b += 3) {
        ASSERT_LE(loss, AngleBetween(MatrixFromEuler(axes_, {a, b, 0}), wanted) + 1e-9);
      }
    }
  }
}

// At gimbal lock one combination of the outer angles is free: no other choice is nearer.
TEST_P(EulerTest, GimbalLockTakesTheFreeAngleNearestToTheReference) {
  if (axes_.count != 3) return;
  for (int i = 0; i < 400; ++i) {
    const double middle = i % 2 == 0 ? 90 : -90;
    const Angles angles = {Uniform(random_, -180, 180), middle, Uniform(random_, -180, 180)};
    const Matrix wanted = MatrixFromEuler(axes_, angles);
    Angles reference = RandomAngles(500);
    const Angles found = ToEuler(axes_, FromEuler(axes_, angles), reference);
    ASSERT_LT(AngleBetween(MatrixFromEuler(axes_, found), wanted), 5e-6);
    // The other solutions: the free angle shifted, both ways.
    for (double shift = -400; shift <= 400; shift += 0.5) {
      for (double sign : {-1.0, 1.0}) {
        const Angles other = {found[0] + shift, found[1], found[2] + sign * shift};
        if (AngleBetween(MatrixFromEuler(axes_, other), wanted) > 5e-6) continue;
        ASSERT_LE(Distance(found, reference), Distance(other, reference) + 1e-4);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllAxes, EulerTest, testing::ValuesIn(AllAxes()),
                         [](const auto& instance) { return AxesName(instance.param); });

TEST(Euler, NoAxesIsNoRotation) {
  EXPECT_EQ(FromEuler({}, {90, 90, 90}), (Quaternion{0, 0, 0, 1}));
  EXPECT_EQ(ToEuler({}, {1, 0, 0, 0}, {5, 5, 5}), (Angles{0, 0, 0}));
}

// The twist about X of a half turn about Y is undefined: the reference stays.
TEST(Euler, UndefinedTwistKeepsTheReference) {
  EXPECT_EQ(ToEuler({1, {0, 0, 0}}, {0, 1, 0, 0}, {33, 0, 0})[0], 33);
}

}  // namespace
}  // namespace ikstream::bvh
