// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "pool/cpu_quota.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"

namespace ikstream {
namespace {

namespace fs = std::filesystem;

class CpuQuotaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) /
            ("cgroup_" + std::to_string(getpid()) + "_" +
             std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
    fs::create_directories(root_ / "pod" / "box");
    files_ = {root_.string(), (root_ / "self").string()};
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
  CgroupFiles files_;
};

TEST_F(CpuQuotaTest, ReadsTheQuotaOfItsOwnGroup) {
  Write("self", "12:cpuset:/x\n0::/pod/box\n");
  Write("pod/box/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(CpuQuota(files_), 1.5);
}

TEST_F(CpuQuotaTest, TheLeastQuotaUpToTheRootHolds) {
  Write("self", "0::/pod/box\n");
  Write("pod/box/cpu.max", "max 100000\n");
  Write("pod/cpu.max", "200000 100000\n");
  Write("cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(CpuQuota(files_), 2);
}

TEST_F(CpuQuotaTest, ReadsTheRootInsideAContainer) {
  Write("self", "0::/\n");
  Write("cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(CpuQuota(files_), 0.5);
}

TEST_F(CpuQuotaTest, NoQuotaIsZero) {
  EXPECT_EQ(CpuQuota(files_), 0);
  Write("self", "0::/pod/box\n");
  Write("pod/box/cpu.max", "max 100000\n");
  Write("pod/cpu.max", "nonsense\n");
  EXPECT_EQ(CpuQuota(files_), 0);
}

TEST(WorkerCountTest, FollowsTheQuotaAndNeverExceedsTheCores) {
  EXPECT_EQ(WorkerCount(0, 8), 8);
  EXPECT_EQ(WorkerCount(0.5, 8), 1);
  EXPECT_EQ(WorkerCount(1.5, 8), 2);
  EXPECT_EQ(WorkerCount(16, 8), 8);
  EXPECT_EQ(WorkerCount(0, 0), 1);
}

}  // namespace
}  // namespace ikstream
