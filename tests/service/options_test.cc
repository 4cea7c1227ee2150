// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/options.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "app/address.h"
#include "gtest/gtest.h"

namespace ikstream {
namespace {

class OptionsTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("IKSTREAM_WORKERS");
    unsetenv("IKSTREAM_REFLECTION");
    for (const std::string& file : files_) std::remove(file.c_str());
  }

  std::optional<int> Read(std::vector<const char*> args) {
    args.insert(args.begin(), "ikstreamd");
    options_ = {};
    out_.str("");
    err_.str("");
    return ReadOptions(static_cast<int>(args.size()), args.data(), "1.2.3", options_, out_,
                       err_);
  }

  std::string File(const char* name, const std::string& text) {
    files_.push_back(::testing::TempDir() + std::to_string(getpid()) + "_" + name);
    std::ofstream(files_.back()) << text;
    return files_.back();
  }

  Options options_;
  std::ostringstream out_, err_;
  std::vector<std::string> files_;
};

TEST_F(OptionsTest, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
  const std::string config = File("ik.conf", "workers = 3\nmax-streams = 5\n");
  EXPECT_EQ(Read({"--config", config.c_str()}), std::nullopt);
  EXPECT_EQ(options_.workers, 3);
  EXPECT_EQ(options_.service.max_streams, 5);
  setenv("IKSTREAM_WORKERS", "4", 1);
  EXPECT_EQ(Read({"--config", config.c_str()}), std::nullopt);
  EXPECT_EQ(options_.workers, 4);
  EXPECT_EQ(Read({"--config", config.c_str(), "--workers", "6"}), std::nullopt);
  EXPECT_EQ(options_.workers, 6);
  EXPECT_EQ(options_.service.max_streams, 5);
}

TEST_F(OptionsTest, SwitchesGoOnAndOff) {
  EXPECT_EQ(Read({"--channelz", "--no-reflection"}), std::nullopt);
  EXPECT_TRUE(options_.channelz);
  EXPECT_FALSE(options_.reflection);
  setenv("IKSTREAM_REFLECTION", "false", 1);
  EXPECT_EQ(Read({}), std::nullopt);
  EXPECT_FALSE(options_.reflection);
}

TEST_F(OptionsTest, WhatIsUnknownOrOutOfRangeIsAUsageError) {
  EXPECT_EQ(Read({"--bogus"}), 2);
  EXPECT_EQ(Read({"--workers=-1"}), 2);
  EXPECT_NE(err_.str().find("--workers"), std::string::npos);
  EXPECT_EQ(Read({"--listen=localhost"}), 2);
  EXPECT_NE(err_.str().find("--listen: `localhost`"), std::string::npos);
  EXPECT_EQ(Read({"--metrics-listen=unix:/x"}), 2);
  EXPECT_EQ(Read({"--tls-cert=/none"}), 2);
  EXPECT_EQ(Read({"--tls-cert=/none", "--tls-key=/none"}), 2);
  EXPECT_EQ(Read({"--config=/none"}), 2);
  EXPECT_EQ(Read({("--config=" + File("bad.conf", "wrokers = 3\n")).c_str()}), 2);
  EXPECT_NE(err_.str().find("wrokers"), std::string::npos);
  setenv("IKSTREAM_WORKERS", "many", 1);
  EXPECT_EQ(Read({}), 2);
}

TEST_F(OptionsTest, TheTokenComesFromItsFile) {
  const std::string file = File("token", "  s3cret\n");
  EXPECT_EQ(Read({"--token-file", file.c_str()}), std::nullopt);
  EXPECT_EQ(options_.service.bearer_token, "s3cret");
  EXPECT_EQ(Read({("--token-file=" + File("empty", "\n")).c_str()}), 2);
}

TEST_F(OptionsTest, VersionAndHelpEndWithZero) {
  EXPECT_EQ(Read({"--version"}), 0);
  EXPECT_EQ(out_.str(), "ikstreamd 1.2.3\n");
  EXPECT_EQ(Read({"--help"}), 0);
  EXPECT_NE(out_.str().find("IKSTREAM_LISTEN"), std::string::npos);
}

TEST(AddressTest, HostsPortsAndSockets) {
  Address address;
  EXPECT_TRUE(ParseAddress("127.0.0.1:0", address).ok());
  EXPECT_TRUE(ParseAddress("[::1]:50051", address).ok());
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.port, 50051);
  EXPECT_TRUE(ParseAddress("unix:/run/ik.sock", address).ok());
  EXPECT_EQ(address.unix_path, "/run/ik.sock");
  for (const char* bad :
       {"", ":1", "host", "host:", "host:x", "host:65536", "host:-1", "::1:5", "unix:"}) {
    EXPECT_FALSE(ParseAddress(bad, address).ok()) << bad;
  }
}

}  // namespace
}  // namespace ikstream
