// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the fixtures cannot show: limits, options, time, memory and reading in batches.
#include "cpp/bvh/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "unit/bvh/fixture.h"
#include "unit/bvh/support.h"

namespace ikstream::bvh {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string& FixtureText(std::string_view name) {
  for (const Fixture& fixture : Fixtures()) {
    if (fixture.name == name) return fixture.text;
  }
  ADD_FAILURE() << "no fixture " << name;
  std::abort();
}

std::string Message(std::string_view text, const ReadOptions& options = {}) {
  const absl::Status status = Read(text, options).status();
  return {status.message().data(), status.message().size()};
}

std::string Repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(ReadOptions, FpsReplacesTheFilesFrameTime) {
  const Document document = MustRead(FixtureText("frame_time_zero"), {.fps = 30});
  EXPECT_EQ(document.header.frame_time, 1.0 / 30);
  EXPECT_EQ(document.header.frame_time_text, "0");
  EXPECT_THAT(Message(FixtureText("plain"), {.fps = 0}), HasSubstr("fps: expected"));
  EXPECT_THAT(Message(FixtureText("plain"), {.fps = -24}), HasSubstr("fps: expected"));
}

TEST(ReadLimits, EachIsAnErrorThatSaysSo) {
  const std::string& plain = FixtureText("plain");
  EXPECT_THAT(Message(plain, {.max_bytes = 100}), HasSubstr("limit of 100 bytes"));
  EXPECT_THAT(Message(plain, {.max_header_bytes = 50}),
              HasSubstr("expected a header of at most 50 bytes, found more"));
  EXPECT_THAT(Message(plain, {.max_row_bytes = 10}),
              StartsWith("bvh:19:1: expected rows of at most 10 bytes"));
  EXPECT_THAT(Message(plain, {.max_joints = 1}),
              StartsWith("bvh:6:9: expected at most 1 joints, found more"));
  EXPECT_THAT(Message("HIERARCHY\nROOT " + std::string(2000, 'x')),
              StartsWith("bvh:2:6: expected a joint name of at most 1024 bytes"));
}

TEST(ReadLimits, BlankLinesCountToTheRowBeforeThem) {
  EXPECT_THAT(Message(FixtureText("plain") + std::string(5000, '\n'), {.max_row_bytes = 1000}),
              HasSubstr("expected rows of at most 1000 bytes"));
}

TEST(ReadWarnings, AreBounded) {
  std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n";
  text += Repeated("JOINT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n", 500);
  const Document document = MustRead(text + "}\nMOTION\nFrames: 1\nFrame Time: 1\n0\n");
  EXPECT_EQ(document.header.joints.size(), 501);
  EXPECT_EQ(document.warnings.size(), 101);
  EXPECT_THAT(document.warnings.back(), HasSubstr("not listed"));
}

// BVH knows no scale; what some exporters add is told with the joint's name, not dropped.
TEST(ReadScales, AreRefusedWithTheJointsName) {  // K19
  const std::string head =
      "HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation ";
  const std::string tail = "\n}\nMOTION\nFrames: 1\nFrame Time: 1\n0 0 0\n";
  EXPECT_THAT(Message(head + "Zrotation" + tail), "");
  EXPECT_THAT(Message(head + "Xscale" + tail),
              AllOf(StartsWith("bvh:5:32: expected a channel"), HasSubstr("hips")));
}

TEST(ReadFile, PathsThatCannotBeRead) {
  EXPECT_EQ(ReadFile("/nonexistent/walk.bvh").status().code(), absl::StatusCode::kNotFound);
  const absl::Status folder = ReadFile(testing::TempDir()).status();
  EXPECT_FALSE(folder.ok());
  EXPECT_THAT(std::string(folder.message()), HasSubstr("cannot read " + testing::TempDir()));
}

// The errors of huge and hostile texts take no longer than those of small ones. Measured
// in processor time, since tests share their machine.
TEST(ReadTime, HostileTextsFailFast) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
  constexpr double kSeconds = 2;
#else
  constexpr double kSeconds = 0.1;
#endif
  const std::string head = FixtureText("plain").substr(0, FixtureText("plain").find("1 90 2"));
  const std::vector<std::string> texts = {
      Repeated(" ", 20'000'000),
      Repeated("{", 20'000'000),
      "HIERARCHY\nROOT " + Repeated("x", 20'000'000),
      "HIERARCHY\n" + Repeated("ROOT a\n{\nOFFSET 0 0 0\n", 300'000),
      "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + Repeated("JOINT a\n{\n", 300'000),
      "HIERARCHY\nROOT a\n{\nOFFSET " + Repeated("1", 20'000'000),
      head + Repeated("1", 20'000'000),
      head + "0." + Repeated("1", 4'000'000) + "x",
      head + Repeated("0 ", 2'000'000),
      head + Repeated("\n", 20'000'000),
      head + Repeated("1 2 3\n", 1'000'000),
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::clock_t start = std::clock();
    EXPECT_FALSE(Read(texts[i]).ok()) << i;
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kSeconds) << i;
  }
}

TEST(ReadMemory, TheHeadersCountAllocatesNothing) {
  const Document document = MustRead(FixtureText("frames_two_billion"));
  EXPECT_EQ(document.header.declared_frames, 2'000'000'000);
  EXPECT_LE(document.rows.values.capacity(), 4096u);
}

TEST(FrameReader, BatchesAreTheWholeInAnySize) {
  Random random(5);
  Header header = RandomHeader(random, 20);
  std::string text = FixtureText("plain");
  text += Repeated("3 90 2 90 1.5 0 0 90 0 \r\n\n", 500);
  const Document whole = MustRead(text);
  for (std::int64_t size : {1, 7, 500, 10'000}) {
    auto reader = FrameReader::FromText(text);
    ASSERT_TRUE(reader.ok());
    Rows all;
    all.Clear(0, whole.header.channel_count);
    Rows batch;
    do {
      ASSERT_TRUE((*reader)->Next(size, &batch).ok());
      EXPECT_EQ(batch.first_frame, all.end_frame());
      EXPECT_LE(batch.count(), size);
      all.Append(batch);
    } while (batch.count() > 0);
    EXPECT_EQ(all.values, whole.rows.values);
    EXPECT_EQ(all.text, whole.rows.text);
    EXPECT_EQ((*reader)->warnings(), whole.warnings);
  }
}

TEST(FrameReader, RowsBeforeAnErrorAreGivenAndTheErrorRepeats) {
  auto reader = FrameReader::FromText(FixtureText("last_row_short"));
  ASSERT_TRUE(reader.ok());
  Rows rows;
  EXPECT_TRUE((*reader)->Next(1, &rows).ok());
  EXPECT_EQ(rows.count(), 1);
  EXPECT_FALSE((*reader)->Next(1, &rows).ok());
  EXPECT_FALSE((*reader)->Next(1, &rows).ok());
}

std::int64_t ResidentBytes() {
  std::int64_t size = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// A line without an end is given up at the limit, not read to the end of the file.
TEST(FrameReader, AnEndlessRowDoesNotFillMemory) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "_endless.bvh";
  {
    std::ofstream file(path, std::ios::binary);
    const std::string& plain = FixtureText("plain");
    file << plain.substr(0, plain.find("1 90 2"));
    for (int i = 0; i < 64; ++i) file << std::string(1 << 20, '1');
  }
  const std::int64_t before = ResidentBytes();
  auto reader = FrameReader::Open(path, {.max_row_bytes = 1 << 20});
  ASSERT_TRUE(reader.ok()) << reader.status();
  Rows batch;
  EXPECT_THAT(std::string((*reader)->Next(1, &batch).message()),
              HasSubstr(":19:1: expected rows of at most 1048576 bytes"));
  EXPECT_LT(ResidentBytes() - before, 16 << 20);
  std::filesystem::remove(path);
}

// A file much larger than what is allowed to stay in memory.
TEST(FrameReader, MemoryIsBounded) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "_long.bvh";
  const std::string rows = Repeated("3 90.25 2.125 90 1.5 0 0 90 0.0001\n", 20'000);
  constexpr int kPieces = 100;
  {
    std::ofstream file(path, std::ios::binary);
    const std::string& plain = FixtureText("plain");
    file << plain.substr(0, plain.find("1 90 2"));
    for (int i = 0; i < kPieces; ++i) file << rows;
  }
  auto reader = FrameReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  Rows batch;
  ASSERT_TRUE((*reader)->Next(256, &batch).ok());
  const std::int64_t before = ResidentBytes();
  std::int64_t count = batch.count();
  while (batch.count() > 0) {
    ASSERT_TRUE((*reader)->Next(256, &batch).ok());
    count += batch.count();
  }
  EXPECT_EQ(count, 20'000 * kPieces);
  EXPECT_LT(ResidentBytes() - before, 8 << 20);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ikstream::bvh
