// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/platform_file.h"

#include <gtest/gtest.h>

#include "unit/client/temp_folder.h"

namespace ikstream::cli {
namespace {

class PlatformFileTest : public ::testing::Test {
 protected:
  auto Read(const std::string& text) { return ReadPlatforms(folder.Write("p.json", text)); }

  TempFolder folder;
};

TEST_F(PlatformFileTest, FramesAreCutOutOfTracks) {
  const auto tracks = Read(R"({"platforms": [
    {"id": "lift", "positions": [0,0,0, 0,1,0, 0,2,0, 0,3,0],
     "rotations": [0,0,0,1, 0,0,0,1, 0,0,1,0, 0,0,0,1]},
    {"id": "quay", "positions": [7,8,9]}]})");
  ASSERT_TRUE(tracks.ok()) << tracks.status();
  ASSERT_TRUE(CheckPlatforms(*tracks, 4).ok());
  v1::Motion motion;
  AddPlatforms(*tracks, 2, 4, motion);
  ASSERT_EQ(motion.platforms_size(), 2);
  EXPECT_EQ(motion.platforms(0).id(), "lift");
  ASSERT_EQ(motion.platforms(0).positions_size(), 6);
  EXPECT_EQ(motion.platforms(0).positions(1), 2);
  EXPECT_EQ(motion.platforms(0).positions(4), 3);
  ASSERT_EQ(motion.platforms(0).rotations_size(), 8);
  EXPECT_EQ(motion.platforms(0).rotations(2), 1);
  EXPECT_EQ(motion.platforms(1).positions_size(), 3) << "it rests";
  EXPECT_EQ(motion.platforms(1).rotations_size(), 0);
}

TEST_F(PlatformFileTest, TracksOfAnotherLengthAreToldByName) {
  const auto tracks = Read(R"({"platforms": [{"id": "lift", "positions": [0,0,0, 0,1,0]}]})");
  ASSERT_TRUE(tracks.ok()) << tracks.status();
  const absl::Status status = CheckPlatforms(*tracks, 5);
  EXPECT_NE(std::string(status.message()).find("\"lift\" has 6 values"), std::string::npos)
      << status;
  EXPECT_NE(std::string(status.message()).find("need 15"), std::string::npos) << status;
}

TEST_F(PlatformFileTest, OtherFilesAreRefused) {
  EXPECT_FALSE(Read("{}").ok());
  EXPECT_FALSE(Read(R"({"platforms": [{"id": "a"}], "root_positions": [1]})").ok());
  EXPECT_FALSE(Read(R"({"platform": []})").ok());
}

}  // namespace
}  // namespace ikstream::cli
