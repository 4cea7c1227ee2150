// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Seeded random documents: what is written is read, what is sent back unchanged is the
// source, what is changed is what was asked for; and broken text never does harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"
#include "cpp/bvh/write.h"
#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

class RandomTest : public testing::TestWithParam<int> {
 protected:
  Random random_{static_cast<std::uint64_t>(GetParam())};

  Document RandomDocument(int joints, int frames, int decimals) {
    const Header header = RandomHeader(random_, joints);
    const Rows rows = RandomRows(random_, header, frames);
    const absl::StatusOr<std::string> text = Format(header, rows, {.decimals = decimals});
    EXPECT_TRUE(text.ok()) << text.status();
    Document document = MustRead(*text, {.strict = true});
    if (decimals < 0) {
      EXPECT_EQ(document.rows.values, rows.values);
      EXPECT_EQ(document.header.frame_time, header.frame_time);
    }
    EXPECT_EQ(document.header.joints.size(), header.joints.size());
    for (std::size_t i = 0; i < header.joints.size(); ++i) {
      EXPECT_EQ(document.header.joints[i].channels, header.joints[i].channels);
      EXPECT_EQ(document.header.joints[i].parent, header.joints[i].parent);
    }
    return document;
  }
};

TEST_P(RandomTest, WrittenIsReadIsWritten) {
  const Document document = RandomDocument(Pick(random_, 1, 60), Pick(random_, 1, 20), -1);
  const absl::StatusOr<std::string> again =
      Format(document.header, document.rows, {.decimals = -1});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, document.header.text + document.rows.text);
}

TEST_P(RandomTest, UnchangedIsTheSource) {
  Document document = RandomDocument(Pick(random_, 1, 60), 10, 4);
  const std::string source = document.rows.text;
  for (auto convention : {PositionConvention::kReplace, PositionConvention::kAdd}) {
    const ClipLayout layout = *MakeLayout(document.header, document.rows, convention);
    const Clip clip = ToClip(document.header, layout, document.rows);
    const auto report = Apply(layout,
                              {.frame_count = clip.frame_count,
                               .root_positions = clip.root_positions,
                               .local_rotations = clip.local_rotations,
                               .local_translations = clip.local_translations},
                              &document);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(document.rows.text, source);
  }
}

// Every rotation and position replaced: read again, the file says what was asked for.
TEST_P(RandomTest, ChangedIsWhatWasAskedFor) {
  Document document = RandomDocument(Pick(random_, 1, 60), 10, 6);
  const ClipLayout layout = *MakeLayout(document.header, document.rows);
  Clip clip = ToClip(document.header, layout, document.rows);
  for (std::size_t i = 0; i < clip.local_rotations.size(); i += 4) {
    const Quaternion q = RandomRotation(random_);
    std::transform(q.begin(), q.end(), clip.local_rotations.begin() + static_cast<long>(i),
                   [](double x) { return static_cast<float>(x); });
  }
  for (float& x : clip.root_positions) x = static_cast<float>(Uniform(random_, -99, 99));
  const auto report = Apply(layout,
                            {.frame_count = clip.frame_count,
                             .root_positions = clip.root_positions,
                             .local_rotations = clip.local_rotations},
                            &document);
  ASSERT_TRUE(report.ok()) << report.status();
  const Document read = MustRead(document.header.text + document.rows.text, {.strict = true});
  EXPECT_EQ(read.rows.values, document.rows.values);
  const Clip got = ToClip(read.header, layout, read.rows);
  for (std::size_t i = 0; i < clip.root_positions.size(); ++i) {
    EXPECT_NEAR(got.root_positions[i], clip.root_positions[i], 1e-5);
  }
  for (std::size_t i = 0; i < clip.local_rotations.size(); ++i) {
    const std::size_t joint = i / 4 % layout.joints.size();
    if (layout.joints[joint].rotation.count < 3) continue;
    const std::size_t start = i - i % 4;
    double dot = 0;
    for (std::size_t k = start; k < start + 4; ++k) {
      dot += static_cast<double>(got.local_rotations[k]) * clip.local_rotations[k];
    }
    ASSERT_NEAR(got.local_rotations[i], std::copysign(1.0, dot) * clip.local_rotations[i],
                2e-6);
  }
}

// Bytes changed, cut out, doubled: an error with a place, or a document that is the text.
TEST_P(RandomTest, BrokenTextDoesNoHarm) {
  using std::string_view_literals::operator""sv;
  constexpr std::string_view kBytes = " \n\r\t{}:.,-+eE0123456789ROTJ\0\xEF\xFF"sv;
  const int last_byte = static_cast<int>(kBytes.size()) - 1;
  for (int i = 0; i < 20; ++i) {
    std::string text = Fixtures()[static_cast<std::size_t>(Pick(
                                      random_, 0, static_cast<int>(Fixtures().size()) - 1))]
                           .text;
    for (int k = Pick(random_, 1, 4); k > 0 && !text.empty(); --k) {
      const auto at =
          static_cast<std::size_t>(Pick(random_, 0, static_cast<int>(text.size()) - 1));
      const auto byte = kBytes[static_cast<std::size_t>(Pick(random_, 0, last_byte))];
      const int kind = Pick(random_, 0, 3);
      if (kind == 0) text[at] = byte;
      if (kind == 1) text.insert(at, 1, byte);
      if (kind == 2) text.erase(at, static_cast<std::size_t>(Pick(random_, 1, 30)));
      if (kind == 3) text.insert(at, text.substr(at / 2, 20));
    }
    const absl::StatusOr<Document> document = Read(text, {.strict = i % 2 == 0});
    if (document.ok()) {
      ASSERT_EQ(document->header.text + document->rows.text, text);
      ASSERT_TRUE(MakeLayout(document->header, document->rows).ok());
    } else {
      ASSERT_EQ(document.status().code(), absl::StatusCode::kInvalidArgument);
      ASSERT_EQ(document.status().message().substr(0, 4), "bvh:") << document.status();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTest, testing::Range(0, 150));

TEST(LargeDocument, ThousandsOfJoints) {
  Random random(1);
  const Header header = RandomHeader(random, 4096);
  const Document document = MustRead(*Format(header, RandomRows(random, header, 3)));
  EXPECT_EQ(document.header.joints.size(), 4096);
  EXPECT_EQ(document.header.channel_count, header.channel_count);
}

}  // namespace
}  // namespace ikstream::bvh
