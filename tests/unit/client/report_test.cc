// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/report.h"

#include "cli/files.h"
#include "cli/json.h"
#include "gtest/gtest.h"
#include "unit/client/temp_folder.h"

namespace ikstream::cli {
namespace {

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    output = folder.Write("out/walk.bvh", "clean");
    report.set_output_sha256(*Sha256OfFile(output));
    request.key_options = {"up=auto"};
    key = MakeKey(request, "1.0", "input-hash", "");
    *report.mutable_key() = key;
    Save();
  }
  void Save() {
    path = folder.Write("out/walk.report.json", ToJson(report, JsonStyle::kPretty, true));
  }
  bool Done(bool in_place = false) { return IsDone(path, output, key, in_place); }

  TempFolder folder;
  ClipRequest request;
  CleanKey key;
  CleanReport report;
  std::string output;
  std::string path;
};

TEST_F(ReportTest, PathLiesBesideTheOutput) {
  EXPECT_EQ(ReportPath("out/walk.bvh"), "out/walk.report.json");
  EXPECT_EQ(ReportPath("out/v1.2/walk"), "out/v1.2/walk.report.json");
}

TEST_F(ReportTest, SameKeyAndUntouchedOutputIsDone) { EXPECT_TRUE(Done()); }

TEST_F(ReportTest, AnyDifferenceIsNotDone) {
  const CleanKey same = key;
  key.set_version("1.1");
  EXPECT_FALSE(Done());
  key = same;
  key.set_input_sha256("other");
  EXPECT_FALSE(Done());
  key = same;
  key.set_plan_sha256("other");
  EXPECT_FALSE(Done());
  key = same;
  key.set_terrain_sha256("other");
  EXPECT_FALSE(Done());
  key = same;
  key.mutable_settings()->mutable_contact()->set_enter_speed(0.2f);
  EXPECT_FALSE(Done());
  key = same;
  key.add_options("loop");
  EXPECT_FALSE(Done());
}

TEST_F(ReportTest, ChangedOrMissingOutputIsNotDone) {
  folder.Write("out/walk.bvh", "edited");
  EXPECT_FALSE(Done());
  std::filesystem::remove(output);
  EXPECT_FALSE(Done());
}

TEST_F(ReportTest, BrokenReportIsNotDone) {
  folder.Write("out/walk.report.json", "{\"key\": ");
  EXPECT_FALSE(Done());
}

TEST_F(ReportTest, InPlaceTheOutputOfThenIsTheInputOfNow) {
  key.set_input_sha256(report.output_sha256());
  EXPECT_FALSE(Done());
  EXPECT_TRUE(Done(/*in_place=*/true));
}

TEST(Sha256Test, KnownAnswer) {
  const TempFolder folder;
  EXPECT_EQ(*Sha256OfFile(folder.Write("x", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ikstream::cli
