// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Real motion-capture files, where the environment variable IKSTREAM_CLIPS names a folder
// that has some.
#include <gtest/gtest.h>

#include <algorithm>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"
#include "cpp/bvh/read.h"
#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

class ClipsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RealClips().empty()) GTEST_SKIP() << "IKSTREAM_CLIPS names no folder with .bvh files";
  }

  static Edits All(const Clip& clip) {
    return {.frame_count = clip.frame_count,
            .root_positions = clip.root_positions,
            .local_rotations = clip.local_rotations,
            .local_translations = clip.local_translations};
  }
};

TEST_F(ClipsTest, AreReadStrictlyAndComeBackByteForByte) {
  for (const std::string& path : RealClips()) {
    SCOPED_TRACE(path);
    absl::StatusOr<Document> document = ReadFile(path, {.strict = true});
    ASSERT_TRUE(document.ok()) << document.status();
    const ClipLayout layout = *MakeLayout(document->header, document->rows);
    const auto report =
        Apply(layout, All(ToClip(document->header, layout, document->rows)), &*document);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->changed_joint_frames + report->changed_positions, 0);
    EXPECT_EQ(document->header.text + document->rows.text, Contents(path));
  }
}

// Every rotation turned by a degree about X: the written file says so, and its angles do
// not jump where the source's do not.
TEST_F(ClipsTest, ASmallTurnOfEveryJointIsWrittenWithoutSteps) {
  const Quaternion turn = FromEuler({1, {0, 0, 0}}, {1, 0, 0});
  for (const std::string& path : RealClips()) {
    SCOPED_TRACE(path);
    absl::StatusOr<Document> document = ReadFile(path);
    ASSERT_TRUE(document.ok()) << document.status();
    const ClipLayout layout = *MakeLayout(document->header, document->rows);
    Clip clip = ToClip(document->header, layout, document->rows);
    for (std::size_t i = 0; i < clip.local_rotations.size(); i += 4) {
      float* q = &clip.local_rotations[i];
      const Quaternion turned = Multiply(turn, {q[0], q[1], q[2], q[3]});
      for (std::size_t k = 0; k < 4; ++k) q[k] = static_cast<float>(turned[k]);
    }
    const auto report = Apply(layout, All(clip), &*document);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->euler_steps, 0);
    EXPECT_EQ(report->lossy_joint_frames, 0);
    const Document read = MustRead(document->header.text + document->rows.text);
    const Clip written = ToClip(read.header, layout, read.rows);
    double worst = 0;
    for (std::size_t i = 0; i < clip.local_rotations.size(); i += 4) {
      const auto at = [i](const Clip& c) {
        const float* q = &c.local_rotations[i];
        return MatrixFromQuaternion({q[0], q[1], q[2], q[3]});
      };
      worst = std::max(worst, Difference(at(written), at(clip)));
    }
    EXPECT_LT(worst, 3e-6);
  }
}

}  // namespace
}  // namespace ikstream::bvh
