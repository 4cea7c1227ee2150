// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cpp/bvh/clip.h"
#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Document& FixtureDocument(std::string_view name) {
  for (const Fixture& fixture : Fixtures()) {
    if (fixture.name != name) continue;
    static auto* const documents = new std::vector<std::unique_ptr<Document>>();
    documents->push_back(std::make_unique<Document>(MustRead(fixture.text)));
    return *documents->back();
  }
  ADD_FAILURE() << "no fixture " << name;
  std::abort();
}

class EditTest : public testing::Test {
 protected:
  void Load(std::string_view fixture) {
    document_ = FixtureDocument(fixture);
    source_text_ = document_.rows.text;
    layout_ = *MakeLayout(document_.header, document_.rows);
    clip_ = ToClip(document_.header, layout_, document_.rows);
  }

  Edits All() const {
    return {.frame_count = clip_.frame_count,
            .root_positions = clip_.root_positions,
            .local_rotations = clip_.local_rotations,
            .local_translations = clip_.local_translations};
  }

  EditReport MustApply(const Edits& edits) {
    absl::StatusOr<EditReport> report = Apply(layout_, edits, &document_);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.value_or(EditReport());
  }

  Document document_;
  std::string source_text_;
  ClipLayout layout_;
  Clip clip_;
};

TEST_F(EditTest, SentBackUnchangedIsTheSource) {
  Load("mixed_channels");
  const EditReport report = MustApply(All());
  EXPECT_EQ(document_.rows.text, source_text_);
  EXPECT_EQ(report.changed_joint_frames + report.changed_positions, 0);
}

TEST_F(EditTest, TheNegatedQuaternionIsTheSameRotation) {
  Load("mixed_channels");
  for (float& component : clip_.local_rotations) component = -component;
  EXPECT_EQ(MustApply(All()).changed_joint_frames, 0);
  EXPECT_EQ(document_.rows.text, source_text_);
}

TEST_F(EditTest, OnlyChangedNumbersAndNoSeparatorsChange) {
  Load("white_space");
  clip_.root_positions[1] = 91.5f;
  const EditReport report = MustApply(All());
  EXPECT_EQ(report.changed_positions, 1);
  EXPECT_EQ(document_.rows.text,
            "\t0  91.500000\t0 0 0 0 0 0 0 \t\n\n  \n 1 90 0 0 0 0 0 0 0\n\n\t\n");
}

TEST_F(EditTest, CrlfStays) {
  Load("crlf");
  clip_.root_positions[0] = 0.25f;
  MustApply(All());
  EXPECT_EQ(document_.rows.text, "0.250000 90 0 0 0 0 0 0 0\r\n1 90 0 0 0 0 0 0 0\r\n");
}

TEST_F(EditTest, PositionsThatAreAddedAreWrittenWithoutOffset) {
  Load("add_y_up");
  clip_.root_positions[1] += 2;
  MustApply(All());
  EXPECT_EQ(document_.rows.row(0)[1], 1);
  EXPECT_EQ(document_.rows.row(1)[1], -1);
}

TEST_F(EditTest, PositionsOfOtherJointsAreWritten) {
  for (const char* name : {"joint_positions_add", "joint_positions_replace"}) {
    Load(name);
    clip_.local_translations[1] += 0.5f;
    const double before = document_.rows.row(0)[25];
    MustApply(All());
    EXPECT_EQ(document_.rows.row(0)[25], before + 0.5) << name;
    EXPECT_EQ(ToClip(document_.header, layout_, document_.rows).local_translations,
              clip_.local_translations);
  }
}

TEST_F(EditTest, APositionWithoutChannelIsCounted) {
  Load("names");
  clip_.root_positions = {0, 0.75f, 0};
  const EditReport report = MustApply(All());
  EXPECT_EQ(report.lost_positions, 1);
  EXPECT_EQ(report.max_position_loss, 0.75);
  EXPECT_EQ(document_.rows.text, source_text_);
}

TEST_F(EditTest, RotationsBeyondAJointsChannelsAreCounted) {
  Load("mixed_channels");
  // Frame 0: a twist about Z for the hinge (X), for the pair (Y, Z) and the fixed joint.
  const float s = std::sin(0.1f);
  const float c = std::cos(0.1f);
  for (std::size_t joint : {2, 3, 4}) {
    clip_.local_rotations[4 * joint + 2] = s;
    clip_.local_rotations[4 * joint + 3] = c;
  }
  const EditReport report = MustApply(All());
  EXPECT_THAT(report.lossy_joints, ElementsAre(2, 4));
  EXPECT_EQ(report.lossy_joint_frames, 2);
  EXPECT_NEAR(report.max_rotation_loss_rad, 0.2, 1e-6);
  EXPECT_NEAR(document_.rows.row(0)[14], 0.2 * 180 / 3.14159265358979, 1e-5);
}

TEST_F(EditTest, ASubsetOfJointsAndFrames) {
  Load("add_y_up");
  const std::vector<int> joints = {2, 7};
  std::vector<float> rotations = {0, 0, 0, 1, 0, 0, std::sqrt(0.5f), std::sqrt(0.5f)};
  const EditReport report = MustApply(
      {.first_frame = 1, .frame_count = 1, .joints = joints, .local_rotations = rotations});
  EXPECT_EQ(report.changed_joint_frames, 1);
  EXPECT_EQ(document_.rows.row_text(0), source_text_.substr(0, source_text_.find('\n') + 1));
  EXPECT_NEAR(document_.rows.row(1)[24], 90, 1e-5);
}

TEST_F(EditTest, BadEditsAreNamed) {
  Load("add_y_up");
  const auto message = [&](const Edits& edits) -> std::string {
    const absl::Status status = Apply(layout_, edits, &document_).status();
    return {status.message().data(), status.message().size()};
  };
  clip_.local_rotations[4 * 9 + 1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(All()), HasSubstr("local_rotations, frame 1, joint \"LeftUpLeg\""));
  Load("add_y_up");
  for (std::size_t i = 0; i < 4; ++i) clip_.local_rotations[i] = 0;
  EXPECT_THAT(message(All()), HasSubstr("local_rotations, frame 0, joint \"Hips\""));
  Load("add_y_up");
  clip_.root_positions[5] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(message(All()), HasSubstr("root_positions, frame 1, joint \"Hips\""));
  Load("add_y_up");
  clip_.local_rotations.pop_back();
  EXPECT_THAT(message(All()),
              HasSubstr("local_rotations: expected 64 floats or none, found 63"));
  const std::vector<int> joints = {3, 3};
  EXPECT_THAT(message({.frame_count = 1, .joints = joints}), HasSubstr("joints[1]"));
  EXPECT_THAT(message({.first_frame = 1, .frame_count = 2}), HasSubstr("within 0 to 2"));
}

TEST_F(EditTest, RowsMustFollowEachOther) {
  Load("plain");
  RowEditor editor(document_.header, layout_, 6);
  Rows out;
  EXPECT_TRUE(editor.Edit(document_.rows, {}, &out).ok());
  EXPECT_THAT(std::string(editor.Edit(document_.rows, {}, &out).message()),
              HasSubstr("from frame 2"));
}

TEST_F(EditTest, WrittenDecimals) {
  Load("plain");
  EXPECT_EQ(WrittenDecimals(document_.rows), 6);
  Load("numbers");
  EXPECT_EQ(WrittenDecimals(document_.rows), 7);
  Load("numbers_extreme");
  EXPECT_EQ(WrittenDecimals(document_.rows), 15);
}

// The nearest branch may lie beyond what a file can hold: whole turns bring it back.
TEST_F(EditTest, AnglesAtTheEdgeOfTheFormatReadBack) {
  document_ = MustRead(
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
      "End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n"
      "999999990 0 0\n");
  layout_ = *MakeLayout(document_.header, document_.rows);
  clip_ = ToClip(document_.header, layout_, document_.rows);
  const double half = (999999990.0 + 40) / 2 * std::acos(-1.0) / 180;
  clip_.local_rotations = {0, 0, static_cast<float>(std::sin(half)),
                           static_cast<float>(std::cos(half))};
  MustApply(All());
  const Document read = MustRead(document_.header.text + document_.rows.text);
  ASSERT_EQ(read.rows.values, document_.rows.values);
  EXPECT_NEAR(read.rows.values[0], 999999990.0 + 40 - 360, 1e-3);
}

}  // namespace
}  // namespace ikstream::bvh
