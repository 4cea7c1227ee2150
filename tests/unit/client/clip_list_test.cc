// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "unit/client/temp_folder.h"

namespace ikstream::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ClipListTest : public testing::Test {
 protected:
  // "input -> output", both below the temporary folder.
  std::vector<std::string> List(const ClipListOptions& options) {
    const auto list = ListClips(options);
    error = std::string(list.status().message());
    std::vector<std::string> lines;
    if (!list.ok()) return lines;
    single = list->single;
    for (const CleanJob& job : list->jobs) {
      lines.push_back(Below(job.input) + " -> " + Below(job.output));
    }
    return lines;
  }

  std::string Below(const std::string& path) {
    const std::string base = folder / "";
    return path.rfind(base, 0) == 0 ? path.substr(base.size()) : path;
  }

  TempFolder folder;
  std::string error;
  bool single = false;
};

TEST_F(ClipListTest, OneClipGoesToAFileOrIntoAFolder) {
  const std::string clip = folder.Write("in/a.bvh", "");
  EXPECT_THAT(List({{clip}, folder / "b.bvh"}), ElementsAre("in/a.bvh -> b.bvh"));
  EXPECT_TRUE(single);
  folder.Write("out/x", "");
  EXPECT_THAT(List({{clip}, folder / "out"}), ElementsAre("in/a.bvh -> out/a.bvh"));
}

TEST_F(ClipListTest, FolderKeepsItsTree) {
  folder.Write("in/walk/b.bvh", "");
  folder.Write("in/walk/a.BVH", "");
  folder.Write("in/walk/notes.txt", "");
  EXPECT_THAT(
      List({{folder / "in"}, folder / "out"}),
      ElementsAre("in/walk/a.BVH -> out/walk/a.BVH", "in/walk/b.bvh -> out/walk/b.bvh"));
  EXPECT_FALSE(single);
}

TEST_F(ClipListTest, ResultsOfAnEarlierRunAreNoInputs) {
  folder.Write("in/a.bvh", "");
  folder.Write("in/clean/a.bvh", "");
  EXPECT_THAT(List({{folder / "in"}, folder / "in/clean"}),
              ElementsAre("in/a.bvh -> in/clean/a.bvh"));
}

TEST_F(ClipListTest, ListFileIsSortedAndShardedByLine) {
  std::string lines;
  for (const char* name : {"in/x/c.bvh", "in/a.bvh", "in/b.bvh", "in/a.bvh", "in/d.bvh"}) {
    lines += folder.Write(name, "") + "\r\n";
  }
  const std::string list = folder.Write("list.txt", lines);
  ClipListOptions options{{list}, folder / "out"};
  EXPECT_EQ(List(options).size(), 4u);
  options.shard = {0, 2};
  EXPECT_THAT(List(options), ElementsAre("in/a.bvh -> out/a.bvh", "in/d.bvh -> out/d.bvh"));
  options.shard = {1, 2};
  EXPECT_THAT(List(options), ElementsAre("in/b.bvh -> out/b.bvh", "in/x/c.bvh -> out/x/c.bvh"));
  EXPECT_FALSE(single);
  options.shard = {5, 9};
  EXPECT_TRUE(List(options).empty());
  EXPECT_EQ(error, "");
}

TEST_F(ClipListTest, OverwritingNeedsToBeSaid) {
  const std::string clip = folder.Write("in/a.bvh", "");
  List({{clip}, clip});
  EXPECT_THAT(error, HasSubstr("--in-place"));
  List({{folder / "in"}, folder / "in"});
  EXPECT_THAT(error, HasSubstr("--in-place"));
  EXPECT_THAT(List({{folder / "in"}, "", true}), ElementsAre("in/a.bvh -> in/a.bvh"));
}

TEST_F(ClipListTest, MistakesAreUsageErrors) {
  List({{}, folder / "out"});
  EXPECT_THAT(error, HasSubstr("no .bvh file"));
  List({{folder.Write("a.bvh", "")}, ""});
  EXPECT_THAT(error, HasSubstr("-o PATH"));
  List({{folder / "none.txt"}, folder / "out"});
  EXPECT_THAT(error, HasSubstr("none.txt"));
  List({{folder.Write("clip.txt", "HIERARCHY\nROOT a\n")}, folder / "out"});
  EXPECT_THAT(error, HasSubstr("neither a clip"));
  folder.Write("two/a.bvh", "");
  folder.Write("two/a.BVH", "");
  List({{folder / "two"}, folder / "out"});
  EXPECT_THAT(error, HasSubstr("to the same place"));
}

TEST(ShardTest, CountsFromZero) {
  EXPECT_EQ(ParseShard("0/1")->count, 1);
  EXPECT_EQ(ParseShard("3/4")->index, 3);
  for (const char* bad : {"", "1", "4/4", "-1/4", "0/0", "a/b", "1/2/3"}) {
    EXPECT_FALSE(ParseShard(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace ikstream::cli
