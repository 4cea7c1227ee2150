// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr fs::perms kOwnerAndGroup =
    fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;

// A folder of its own for each test, empty at the start.
class WriteTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              ("bvh_write_" + std::to_string(getpid()) + "_" + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    target_ = (folder_ / "walk.bvh").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t FileCount() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  void Put(const std::string& text) const { std::ofstream(target_, std::ios::binary) << text; }

  fs::path folder_;
  std::string target_;
};

std::unique_ptr<AtomicFile> MustCreate(const std::string& path) {
  absl::StatusOr<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : nullptr;
}

TEST_F(WriteTest, AppearsOnlyWithCommit) {
  Put("old");
  const auto file = MustCreate(target_);
  ASSERT_NE(file, nullptr);
  ASSERT_TRUE(file->Append("new").ok());
  ASSERT_TRUE(file->Append(std::string(1 << 20, 'x')).ok());
  EXPECT_EQ(Contents(target_), "old");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(Contents(target_), "new" + std::string(1 << 20, 'x'));
  EXPECT_EQ(FileCount(), 1u);
  EXPECT_EQ(file->Append("more").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(file->Commit().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WriteTest, LeavesNothingWithoutCommit) {
  Put("old");
  {
    const auto file = MustCreate(target_);
    ASSERT_NE(file, nullptr);
    ASSERT_TRUE(file->Append(std::string(1 << 20, 'x')).ok());
    EXPECT_LE(FileCount(), 2u);  // where the file system can, the new file has no name yet
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "walk.bvh" || name.starts_with(".walk.bvh.")) << name;
    }
  }
  EXPECT_EQ(FileCount(), 1u);
  EXPECT_EQ(Contents(target_), "old");
}

TEST_F(WriteTest, TwoWritersOfOneTarget) {
  const auto first = MustCreate(target_);
  ASSERT_NE(first, nullptr);
  const auto second = MustCreate(target_);
  ASSERT_NE(second, nullptr);
  ASSERT_TRUE(first->Append("first").ok());
  ASSERT_TRUE(second->Append("second").ok());
  ASSERT_TRUE(second->Commit().ok());
  ASSERT_TRUE(first->Commit().ok());
  EXPECT_EQ(Contents(target_), "first");
  EXPECT_EQ(FileCount(), 1u);
}

TEST_F(WriteTest, KeepsPermissionsAndLinks) {
  Put("old");
  fs::permissions(target_, kOwnerAndGroup);
  const std::string link = (folder_ / "link.bvh").string();
  fs::create_symlink("walk.bvh", link);
  const auto file = MustCreate(link);
  ASSERT_NE(file, nullptr);
  ASSERT_TRUE(file->Append("new").ok());
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(Contents(target_), "new");
  EXPECT_EQ(fs::status(target_).permissions(), kOwnerAndGroup);
}

TEST_F(WriteTest, NewFilesFollowTheUmask) {
  const mode_t before = umask(027);
  const auto file = MustCreate(target_);
  ASSERT_NE(file, nullptr);
  umask(before);
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(fs::status(target_).permissions(), kOwnerAndGroup);
}

TEST_F(WriteTest, TargetsThatCannotBe) {
  EXPECT_FALSE(AtomicFile::Create((folder_ / "missing" / "walk.bvh").string()).ok());
  EXPECT_FALSE(AtomicFile::Create(folder_.string()).ok());
  EXPECT_FALSE(AtomicFile::Create("").ok());
  EXPECT_THAT(std::string(AtomicFile::Create("/dev/null").status().message()),
              HasSubstr("not a regular file"));
  EXPECT_EQ(FileCount(), 0u);
}

// A disk that is full, by way of a limit on the size of files.
TEST_F(WriteTest, AFailedWriteIsToldAndLeavesNothing) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1 << 16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  absl::Status status;
  {
    const auto file = MustCreate(target_);
    ASSERT_NE(file, nullptr);
    status = file->Append(std::string(1 << 20, 'x'));
    if (status.ok()) status = file->Commit();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(std::signal(SIGXFSZ, handler), SIG_IGN);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write " + target_));
  EXPECT_EQ(FileCount(), 0u);
}

TEST_F(WriteTest, WriterCopiesEveryFixture) {
  for (const Fixture& fixture : Fixtures()) {
    const absl::StatusOr<Document> document = Read(fixture.text);
    if (!document.ok()) continue;
    const ClipLayout layout = *MakeLayout(document->header, document->rows);
    auto writer = Writer::Create(target_, document->header, layout, document->rows);
    ASSERT_TRUE(writer.ok()) << writer.status();
    Rows rest = document->rows;
    while (rest.count() > 0) ASSERT_TRUE((*writer)->Write(rest.TakeFront(2)).ok());
    ASSERT_TRUE((*writer)->Commit().ok());
    EXPECT_EQ(Contents(target_), fixture.text) << fixture.name;
    ASSERT_TRUE(WriteFile(target_, *document).ok());
    EXPECT_EQ(Contents(target_), fixture.text) << fixture.name;
  }
}

TEST_F(WriteTest, TheFrameCountCanBeReplaced) {
  for (const Fixture& fixture : Fixtures()) {
    if (fixture.name != "frames_two_billion") continue;
    const Document document = MustRead(fixture.text);
    const ClipLayout layout = *MakeLayout(document.header, document.rows);
    auto writer =
        Writer::Create(target_, document.header, layout, document.rows, {.frames = 1});
    ASSERT_TRUE(writer.ok() && (*writer)->Write(document.rows).ok());
    ASSERT_TRUE((*writer)->Commit().ok());
    EXPECT_EQ(MustRead(Contents(target_), {.strict = true}).header.declared_frames, 1);
  }
}

TEST(Format, RefusesWhatCouldNotBeReadBack) {
  Random random(3);
  const Header good = RandomHeader(random, 5);
  const Rows rows = RandomRows(random, good, 2);
  EXPECT_TRUE(Format(good, rows).ok());
  for (const char* name : {"", " a", "a ", "a\nb", "a{"}) {
    Header bad = good;
    bad.joints[1].name = name;
    EXPECT_FALSE(Format(bad, rows).ok()) << name;
  }
  Header bad = good;
  bad.joints[2].parent = 4;
  EXPECT_FALSE(Format(bad, rows).ok());
  bad = good;
  bad.frame_time = 0;
  EXPECT_FALSE(Format(bad, rows).ok());
  bad = good;
  bad.joints[0].channels[0] = bad.joints[0].channels[1];
  EXPECT_FALSE(Format(bad, rows).ok());
  Rows huge = rows;
  huge.values[0] = 1e10;
  EXPECT_FALSE(Format(good, huge).ok());
  EXPECT_FALSE(Format(good, rows, {.decimals = 16}).ok());
}

}  // namespace
}  // namespace ikstream::bvh
