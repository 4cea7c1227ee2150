// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Every file of tests/data/bvh against its expectations, in both modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/facts.h"
#include "cpp/bvh/forward.h"
#include "cpp/bvh/read.h"
#include "unit/bvh/fixture.h"

namespace ikstream::bvh {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using ::testing::StartsWith;

std::string PositionText(const Json& at) {
  const auto line = static_cast<int>(at.at("line").number());
  const auto column = static_cast<int>(at.at("column").number());
  return "file.bvh:" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

void CheckError(const absl::Status& status, const Json& error) {
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  const std::string message(status.message());
  EXPECT_THAT(message, StartsWith(PositionText(error) + "expected "));
  EXPECT_THAT(message, HasSubstr("expected " + error.at("expected").text()));
  EXPECT_THAT(message, HasSubstr(", found " + error.at("found").text()));
}

void CheckWarnings(const std::vector<std::string>& warnings,
                   const std::vector<Json>& expected) {
  ASSERT_EQ(warnings.size(), expected.size());
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    EXPECT_THAT(warnings[i], StartsWith(PositionText(expected[i])));
    EXPECT_THAT(warnings[i], HasSubstr(expected[i].at("contains").text()));
  }
}

void CheckJoint(const Joint& joint, std::size_t i, const Json& facts) {
  SCOPED_TRACE("joint " + std::to_string(i));
  if (facts.has("joints")) {
    EXPECT_EQ(joint.name, facts.at("joints").list()[i].text());
  }
  if (facts.has("parents")) {
    EXPECT_EQ(joint.parent, facts.at("parents").numbers()[i]);
  }
  if (facts.has("offsets")) {
    EXPECT_THAT(joint.offset, ElementsAreArray(facts.at("offsets").list()[i].numbers()));
  }
  if (facts.has("channels")) {
    std::vector<std::string> expected;
    for (const Json& name : facts.at("channels").list()[i].list())
      expected.push_back(name.text());
    std::vector<std::string> names;
    for (Channel channel : joint.channels) names.emplace_back(ChannelName(channel));
    EXPECT_EQ(names, expected);
  }
  if (!facts.has("end_sites")) return;
  const Json expected = facts.at("end_sites").list()[i];
  ASSERT_EQ(joint.end_site.has_value(), !expected.is_null());
  if (joint.end_site) {
    EXPECT_THAT(*joint.end_site, ElementsAreArray(expected.numbers()));
  }
}

void CheckDocument(const Document& document, const Json& facts) {
  const Header& header = document.header;
  const Rows& rows = document.rows;
  if (facts.has("joints")) {
    ASSERT_EQ(header.joints.size(), facts.at("joints").list().size());
  }
  for (std::size_t i = 0; i < header.joints.size(); ++i) CheckJoint(header.joints[i], i, facts);
  if (facts.has("channel_count")) {
    EXPECT_EQ(header.channel_count, facts.at("channel_count").number());
  }
  EXPECT_EQ(rows.count(), facts.at("frames").number());
  if (facts.has("declared_frames")) {
    EXPECT_EQ(header.declared_frames, facts.at("declared_frames").number());
  }
  if (facts.has("frame_time")) {
    EXPECT_EQ(header.frame_time, facts.at("frame_time").number());
  }
  if (facts.has("frame_time_text")) {
    EXPECT_EQ(header.frame_time_text, facts.at("frame_time_text").text());
  }
  if (facts.has("first_row")) {
    EXPECT_THAT(rows.row(0), ElementsAreArray(facts.at("first_row").numbers()));
  }
  if (facts.has("last_row")) {
    EXPECT_THAT(rows.row(rows.count() - 1), ElementsAreArray(facts.at("last_row").numbers()));
  }
  if (facts.has("warnings")) CheckWarnings(document.warnings, facts.at("warnings").list());
}

void CheckPlaces(const Document& document, const ClipLayout& layout, const Json& facts) {
  for (const Json& place : facts.at("model_positions").list()) {
    const auto frame = static_cast<std::int64_t>(place.at("frame").number());
    const auto joint = static_cast<std::size_t>(place.at("joint").number());
    const std::vector<Vector3> positions =
        ModelPositions(document.header, layout, document.rows.row(frame));
    EXPECT_THAT(positions[joint], Pointwise(DoubleNear(1e-9), place.at("position").numbers()));
  }
}

void CheckClip(const Document& document, const Json& facts) {
  const absl::StatusOr<ClipLayout> layout = MakeLayout(document.header, document.rows);
  ASSERT_TRUE(layout.ok()) << layout.status();
  if (facts.has("root_positions")) {
    EXPECT_EQ(PositionConventionName(layout->root_positions), facts.at("root_positions").text())
        << layout->root_why;
  }
  if (facts.has("other_positions")) {
    EXPECT_EQ(PositionConventionName(layout->other_positions),
              facts.at("other_positions").text())
        << layout->other_why;
  }
  if (facts.has("translated_joints")) {
    EXPECT_THAT(layout->translated_joints,
                ElementsAreArray(facts.at("translated_joints").numbers()));
  }
  if (facts.has("model_positions")) CheckPlaces(document, *layout, facts);
  const RigFacts rig = MeasureRig(document.header, *layout, document.rows);
  if (facts.has("up")) {
    EXPECT_EQ(UpAxisName(rig.up), facts.at("up").text()) << rig.why;
  }
  if (facts.has("leg_length")) {
    EXPECT_NEAR(rig.leg_length, facts.at("leg_length").number(), 1e-9);
  }
  if (facts.has("hip_height")) {
    EXPECT_NEAR(rig.hip_height, facts.at("hip_height").number(), 1e-9);
  }
}

class FixtureTest : public testing::TestWithParam<std::tuple<Fixture, bool>> {};

TEST_P(FixtureTest, IsReadAsExpected) {
  const auto& [fixture, strict] = GetParam();
  const Json expected = fixture.For(strict);
  const absl::StatusOr<Document> document =
      Read(fixture.text, {.strict = strict, .file_name = "file.bvh"});
  if (expected.has("error")) {
    CheckError(document.status(), expected.at("error"));
    return;
  }
  ASSERT_TRUE(document.ok()) << document.status();
  CheckDocument(*document, expected);
  CheckClip(*document, expected);
  EXPECT_EQ(document->header.text + document->rows.text, fixture.text);
}

INSTANTIATE_TEST_SUITE_P(All, FixtureTest,
                         testing::Combine(testing::ValuesIn(Fixtures()), testing::Bool()),
                         [](const auto& instance) {
                           return std::get<0>(instance.param).name +
                                  (std::get<1>(instance.param) ? "_strict" : "_lenient");
                         });

}  // namespace
}  // namespace ikstream::bvh
