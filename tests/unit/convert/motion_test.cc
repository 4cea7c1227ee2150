// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "convert/rig.h"
#include "core/field_error.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::LegMotion;

std::shared_ptr<const Rig> Leg() {
  Warnings warnings;
  return ToRig(testing::LegSetup(), Limits(), warnings).value();
}

struct BadMotion {
  const char* name;
  std::function<void(v1::Motion&)> spoil;
  const char* field;
  int good_frames;  // -1: the whole batch is refused

  friend void PrintTo(const BadMotion& test, std::ostream* out) { *out << test.name; }
};

v1::TargetTrack& TrackOf(v1::Motion& m) { return *m.mutable_targets(0); }

const BadMotion kBad[] = {
    {"Empty", [](v1::Motion& m) { m.Clear(); }, "motion.root_positions", -1},
    {"HalfAPosition", [](v1::Motion& m) { m.add_root_positions(0); }, "motion.root_positions",
     -1},
    {"OneFloatMore", [](v1::Motion& m) { m.add_local_rotations(0); }, "motion.local_rotations",
     -1},
    {"Translations", [](v1::Motion& m) { m.add_local_translations(0); },
     "motion.local_translations", -1},
    {"Chain", [](v1::Motion& m) { TrackOf(m).set_chain(1); }, "motion.targets[0].chain", -1},
    {"ChainTwice", [](v1::Motion& m) { m.add_targets(); }, "motion.targets[1].chain", -1},
    {"TargetSize", [](v1::Motion& m) { TrackOf(m).add_positions(0); },
     "motion.targets[0].positions", -1},
    {"TargetNaN", [](v1::Motion& m) { TrackOf(m).set_positions(1, NAN); },
     "motion.targets[0].positions[1]", 0},
    {"TargetTooFar", [](v1::Motion& m) { TrackOf(m).set_positions(2, -1e20f); },
     "motion.targets[0].positions[2]", 0},
    {"WeightNaN", [](v1::Motion& m) { TrackOf(m).add_weights(NAN); },
     "motion.targets[0].weights[0]", 0},
    {"WeightTooGreat",
     [](v1::Motion& m) {
       for (float w : {0.0f, 1.0f, 1.5f, 1.0f}) TrackOf(m).add_weights(w);
     },
     "motion.targets[0].weights[2]", 2},
    {"TargetRotationZero",
     [](v1::Motion& m) {
       for (int i = 0; i < 4; ++i) TrackOf(m).add_rotations(0);
     },
     "motion.targets[0].rotations[0]", 0},
    {"RootInfinite", [](v1::Motion& m) { m.set_root_positions(3 * 3 + 2, INFINITY); },
     "motion.root_positions[11]", 3},
    {"RotationNaN", [](v1::Motion& m) { m.set_local_rotations(12 + 4, NAN); },
     "motion.local_rotations[16]", 1},
    {"RotationZero", [](v1::Motion& m) { m.set_local_rotations(2 * 12 + 4 + 3, 0); },
     "motion.local_rotations[28]", 2},
};

class BadMotions : public ::testing::TestWithParam<BadMotion> {};

TEST_P(BadMotions, NamesTheFieldAndKeepsTheFramesBefore) {
  const auto rig = Leg();
  v1::Motion motion = LegMotion(4);
  GetParam().spoil(motion);
  Warnings warnings;
  CheckedMotion checked;
  absl::Status status = checked.Read(motion, *rig, Limits(), 100, warnings);
  if (GetParam().good_frames >= 0) {
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(checked.view().frames, GetParam().good_frames);
    status = checked.error();
    EXPECT_EQ(FrameOf(status), 100 + GetParam().good_frames);
  }
  EXPECT_EQ(FieldOf(status), GetParam().field) << status;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(All, BadMotions, ::testing::ValuesIn(kBad),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CheckedMotion, TheFirstBadFrameWinsWhateverItsField) {
  const auto rig = Leg();
  v1::Motion motion = LegMotion(4);
  motion.set_root_positions(3 * 3, NAN);
  motion.set_local_rotations(12 + 4, NAN);
  Warnings warnings;
  CheckedMotion checked;
  ASSERT_TRUE(checked.Read(motion, *rig, Limits(), 0, warnings).ok());
  EXPECT_EQ(checked.view().frames, 1);
  EXPECT_EQ(FieldOf(checked.error()), "motion.local_rotations[16]");
}

TEST(CheckedMotion, TooManyFramesTellTheLimit) {
  const auto rig = Leg();
  Limits limits;
  limits.max_batch_frames = 3;
  Warnings warnings;
  CheckedMotion checked;
  const absl::Status status = checked.Read(LegMotion(4), *rig, limits, 0, warnings);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("3"));
}

TEST(CheckedMotion, SolvesANormalisedCopyAndGivesTheSentBitsBack) {
  const auto rig = Leg();
  v1::Motion motion = LegMotion(2);
  motion.set_local_rotations(12 + 8, 0.5f);  // (0.5, 0, 0, 0.5) on frame 1, the ankle
  motion.set_local_rotations(12 + 11, 0.5f);
  Warnings warnings;
  CheckedMotion checked;
  ASSERT_TRUE(checked.Read(motion, *rig, Limits(), 0, warnings).ok());
  EXPECT_NEAR(checked.view().local_rotations[12 + 8], std::sqrt(0.5f), 1e-6);
  EXPECT_FALSE(warnings.empty());

  std::vector<float> answer(checked.view().local_rotations,
                            checked.view().local_rotations + 24);
  checked.RestoreSent(answer.data(), 0, 2);
  EXPECT_EQ(answer, std::vector<float>(motion.local_rotations().begin(),
                                       motion.local_rotations().end()));
  // A joint-frame that was solved keeps its answer.
  answer[12 + 8] = 0.25f;
  checked.RestoreSent(answer.data() + 12, 1, 2);
  EXPECT_EQ(answer[12 + 8], 0.25f);
}

TEST(CheckedMotion, UnsetTracksHaveNoData) {
  const auto rig = Leg();
  v1::Motion motion = LegMotion(2);
  motion.clear_targets();
  Warnings warnings;
  CheckedMotion checked;
  ASSERT_TRUE(checked.Read(motion, *rig, Limits(), 0, warnings).ok());
  EXPECT_FALSE(checked.targets()[0].positions);
  EXPECT_FALSE(checked.targets()[0].weights);
}

}  // namespace
}  // namespace ikstream
