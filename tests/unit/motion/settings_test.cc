// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/settings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/field_error.h"

namespace ikstream {
namespace {

TEST(Settings, DefaultsAreValidAndComplete) {
  const CleanupSettings s = WithDefaults({});
  EXPECT_TRUE(ValidateSettings(s).ok());
  EXPECT_EQ(*s.contact.enter_speed, 0.15f);
  EXPECT_EQ(*s.blend.seconds, 0.25f);
  EXPECT_FALSE(s.contact.enter_height_m);
  EXPECT_FALSE(s.sole.align);
}

TEST(Settings, WhatIsSetStays) {
  CleanupSettings s;
  s.contact.enter_speed = 0.2f;
  s.guard.enabled = false;
  s = WithDefaults(s);
  EXPECT_EQ(*s.contact.enter_speed, 0.2f);
  EXPECT_FALSE(*s.guard.enabled);
}

TEST(Settings, ErrorsNameTheField) {
  const auto field = [](auto change) {
    CleanupSettings s;
    change(s);
    return FieldOf(ValidateSettings(s));
  };
  EXPECT_EQ(field([](auto& s) { s.contact.enter_speed = NAN; }), "contact.enter_speed");
  EXPECT_EQ(field([](auto& s) { s.contact.leave_speed = 0.1f; }), "contact.leave_speed");
  EXPECT_EQ(field([](auto& s) { s.blend.seconds = -1; }), "blend.seconds");
  EXPECT_EQ(field([](auto& s) { s.blend.min_frames = 100000; }), "blend.min_frames");
  EXPECT_EQ(field([](auto& s) { s.leg.soft_start = 0.99f; }), "leg.soft_end");
  EXPECT_EQ(field([](auto& s) { s.floor.height = 3; }), "floor.height");
}

TEST(Settings, DetectionIsComparedWithDefaultsFilledIn) {
  CleanupSettings a, b;
  b.contact.enter_speed = 0.15f;
  b.blend.seconds = 0.3f;
  EXPECT_TRUE(SameDetection(a, b));
  b.anchor.split_radius_m = 0.1f;
  EXPECT_FALSE(SameDetection(a, b));
}

}  // namespace
}  // namespace ikstream
