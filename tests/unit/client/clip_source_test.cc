// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_source.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "unit/client/temp_folder.h"

namespace ikstream::cli {
namespace {

constexpr char kHeader[] = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
)";

// Frame f stands at x = f and is turned by `turn(f)` degrees.
template <class Turn>
std::string Text(int frames, Turn turn) {
  std::string text = absl::StrCat(kHeader, "Frames: ", frames, "\nFrame Time: 0.05\n");
  for (int f = 0; f < frames; ++f) absl::StrAppend(&text, f, " 0 0 0 0 ", turn(f), "\n");
  return text;
}

class ClipSourceTest : public testing::Test {
 protected:
  // The x of each frame that is sent, in batches of at most `batch`.
  std::vector<int> Sent(const std::string& text, const ClipRequest& request, int lag,
                        int batch) {
    const auto clip = OpenClipFile(folder.Write("clip.bvh", text), request, lag + 2);
    EXPECT_TRUE(clip.ok()) << clip.status();
    const auto span = MakeSpan(*clip, request, lag);
    EXPECT_TRUE(span.ok()) << span.status();
    leads = {span->lead_in, span->lead_out};
    BvhSource source(*clip, *span, nullptr);
    std::vector<int> sent;
    for (int round = 0; round < 2; ++round) {  // a second attempt sends the same
      EXPECT_TRUE(source.Rewind().ok());
      std::vector<int> again;
      v1::Motion motion;
      while (*source.Next(batch, motion)) {
        EXPECT_LE(motion.root_positions_size(), 3 * batch);
        for (int i = 0; i < motion.root_positions_size(); i += 3) {
          again.push_back(static_cast<int>(motion.root_positions(i)));
        }
      }
      if (round > 0) {
        EXPECT_EQ(sent, again);
      }
      sent = again;
    }
    return sent;
  }

  ClipRequest Upright() {
    ClipRequest request;
    request.up = v1::UP_AXIS_Y;
    return request;
  }

  TempFolder folder;
  std::pair<std::int64_t, std::int64_t> leads;
};

TEST_F(ClipSourceTest, WholeClipInBatchesOfAnySize) {
  const std::string text = Text(10, [](int f) { return f; });
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const int batch : {1, 3, 10, 100}) EXPECT_EQ(Sent(text, Upright(), 4, batch), all);
  EXPECT_EQ(leads, std::make_pair(std::int64_t{0}, std::int64_t{0}));
}

TEST_F(ClipSourceTest, PartWithItsNeighbours) {
  ClipRequest request = Upright();
  request.frames = FrameRange{2, 5};
  EXPECT_EQ(Sent(Text(10, [](int f) { return f; }), request, 3, 2),
            (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(leads, std::make_pair(std::int64_t{2}, std::int64_t{3}));
}

TEST_F(ClipSourceTest, LoopSeesItsOtherEndMovedByItsTravel) {
  ClipRequest request = Upright();
  request.loop = true;
  // Ten frames a round, travelling on: the next round starts at x = 10.
  EXPECT_EQ(Sent(Text(10, [](int f) { return 36 * f; }), request, 2, 3),
            (std::vector<int>{-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(ClipSourceTest, LoopWhoseLastFrameRepeatsTheFirstSkipsIt) {
  ClipRequest request = Upright();
  request.loop = true;
  EXPECT_EQ(Sent(Text(11, [](int f) { return 36 * f; }), request, 2, 4),
            (std::vector<int>{-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_F(ClipSourceTest, FramesBeyondTheClipAreAUsageError) {
  ClipRequest request = Upright();
  const auto clip =
      OpenClipFile(folder.Write("clip.bvh", Text(4, [](int f) { return f; })), request, 0);
  ASSERT_TRUE(clip.ok());
  request.frames = FrameRange{2, 9};
  EXPECT_EQ(MakeSpan(*clip, request, 1).status().message().find("has frames 0:4") !=
                std::string::npos,
            true);
}

TEST_F(ClipSourceTest, UnclearUpAxisIsAnErrorThatNamesTheFlag) {
  const auto clip = OpenClipFile(folder.Write("clip.bvh", Text(4, [](int f) { return f; })),
                                 ClipRequest(), 0);
  EXPECT_NE(clip.status().message().find("--up y"), std::string::npos) << clip.status();
}

}  // namespace
}  // namespace ikstream::cli
