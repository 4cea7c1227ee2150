// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/samples.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/field_error.h"

namespace ikstream {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Vec3d kUp{0, 1, 0};

struct Arrays {
  std::vector<float> positions{0, 1, 0, 0, 2, 0, 0, 3, 0};
  std::array<bool, 3> hits{true, false, true};
  std::vector<float> normals{0, 2, 0, 0, 0, 0, 0, 0, 5};
  std::vector<float> velocities{1, 2, 3};
  std::vector<std::int32_t> platforms{-1, 7, 1};

  SampleTrack Track() const { return {positions, hits, normals, velocities, platforms}; }
};

absl::Status Check(const SampleTrack& track, std::vector<TerrainWarning>* warnings = nullptr) {
  std::vector<TerrainWarning> unread;
  return CheckSamples(track, 3, 2, 100, warnings != nullptr ? *warnings : unread);
}

TEST(Samples, AreReadByFrame) {
  const Arrays arrays;
  EXPECT_TRUE(Check(arrays.Track()).ok()) << Check(arrays.Track());
  const auto first = SampleAt(arrays.Track(), 0, kUp);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->point, (Vec3d{0, 1, 0}));
  EXPECT_EQ(first->normal, kUp);
  EXPECT_EQ(first->velocity, (Vec3d{1, 2, 3}));
  EXPECT_EQ(first->platform, -1);
  EXPECT_FALSE(SampleAt(arrays.Track(), 1, kUp));
  const auto last = SampleAt(arrays.Track(), 2, kUp);
  EXPECT_EQ(last->normal, (Vec3d{0, 0, 1}));
  EXPECT_EQ(last->platform, 1);
}

TEST(Samples, OneFrameStandsForTheBatch) {
  SampleTrack track;
  const std::vector<float> position{1, 2, 3};
  track.positions = position;
  EXPECT_TRUE(Check(track).ok());
  for (int f = 0; f < 3; ++f) {
    EXPECT_EQ(SampleAt(track, f, kUp)->point, (Vec3d{1, 2, 3}));
    EXPECT_EQ(SampleAt(track, f, kUp)->normal, kUp);
  }
}

TEST(Samples, NoneAreNoGround) {
  EXPECT_FALSE(SampleTrack{}.given());
  EXPECT_FALSE(SampleAt({}, 0, kUp));
  const std::array<bool, 1> never{false};
  SampleTrack track;
  track.hits = never;
  EXPECT_TRUE(track.given());
  EXPECT_TRUE(Check(track).ok());
  EXPECT_FALSE(SampleAt(track, 2, kUp));
}

TEST(Samples, ZeroNormalsAreUpWithOneWarning) {
  Arrays arrays;
  arrays.normals.assign(9, 0.0f);
  std::vector<TerrainWarning> warnings;
  EXPECT_TRUE(Check(arrays.Track(), &warnings).ok());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].field, "normals");
  EXPECT_EQ(warnings[0].frame, 100);
  EXPECT_EQ(warnings[0].count, 2) << "the frame that missed does not count";
  EXPECT_EQ(SampleAt(arrays.Track(), 2, kUp)->normal, kUp);
}

TEST(Samples, FaultsNameFieldAndFrame) {
  struct Case {
    const char* field;
    long long frame;
    void (*change)(Arrays&);
  };
  const Case cases[] = {
      {"positions", -1, [](Arrays& a) { a.positions.pop_back(); }},
      {"positions", -1, [](Arrays& a) { a.positions.clear(); }},
      {"normals", -1, [](Arrays& a) { a.normals.resize(6); }},
      {"velocities", -1, [](Arrays& a) { a.velocities.resize(2); }},
      {"platforms", -1, [](Arrays& a) { a.platforms.resize(2); }},
      {"positions[1]", 100, [](Arrays& a) { a.positions[1] = kNan; }},
      {"normals[8]", 102, [](Arrays& a) { a.normals[8] = kNan; }},
      {"velocities[0]", 100, [](Arrays& a) { a.velocities[0] = kNan; }},
      {"platforms[2]", 102, [](Arrays& a) { a.platforms[2] = 2; }},
      {"platforms[0]", 100, [](Arrays& a) { a.platforms[0] = -2; }},
  };
  for (const Case& c : cases) {
    Arrays arrays;
    c.change(arrays);
    const absl::Status status = Check(arrays.Track());
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.field;
    EXPECT_EQ(FieldOf(status), c.field) << status;
    EXPECT_EQ(FrameOf(status), c.frame) << status;
  }
}

}  // namespace
}  // namespace ikstream
