// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/calls.h"

#include <chrono>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "prometheus/registry.h"
#include "service/errors.h"

namespace ikstream {
namespace {

using std::chrono::milliseconds;

struct CountsDrains : Drainable {
  void Drain() override { ++drains; }
  int drains = 0;
};

class CallsTest : public ::testing::Test {
 protected:
  prometheus::Registry registry_;
  Metrics metrics_{registry_, {{"ccd"}, "", ""}};
  Calls calls_{metrics_, 2};
};

TEST_F(CallsTest, StreamsAreLimitedAndGiveTheirPlaceBack) {
  auto stream = std::make_shared<CountsDrains>();
  Calls::Pass a, b, c;
  EXPECT_TRUE(calls_.EnterStream(stream, a).ok());
  EXPECT_TRUE(calls_.EnterStream(stream, b).ok());
  const absl::Status full = calls_.EnterStream(stream, c);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FactsOf(full).reason, "STREAMS_FULL");
  EXPECT_TRUE(calls_.Enter(c).ok());  // other calls are not counted with them
  EXPECT_EQ(metrics_.active_streams().Value(), 2);
  EXPECT_EQ(metrics_.active_calls().Value(), 3);
  a = {};
  EXPECT_EQ(metrics_.active_streams().Value(), 1);
  EXPECT_TRUE(calls_.EnterStream(stream, a).ok());
}

TEST_F(CallsTest, ADrainTellsStreamsAndRefusesCalls) {
  auto stream = std::make_shared<CountsDrains>();
  Calls::Pass pass, late;
  ASSERT_TRUE(calls_.EnterStream(stream, pass).ok());
  calls_.Drain();
  EXPECT_EQ(stream->drains, 1);
  EXPECT_EQ(calls_.Enter(late).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(calls_.EnterStream(stream, late).code(), absl::StatusCode::kUnavailable);
}

TEST_F(CallsTest, WaitsUntilTheLastCallIsGone) {
  Calls::Pass pass;
  ASSERT_TRUE(calls_.Enter(pass).ok());
  EXPECT_FALSE(calls_.WaitIdle(Calls::Clock::now() + milliseconds(5)));
  std::thread leaving([&pass] {
    std::this_thread::sleep_for(milliseconds(5));
    pass = {};
  });
  EXPECT_TRUE(calls_.WaitIdle(Calls::Clock::now() + std::chrono::seconds(10)));
  leaving.join();
}

}  // namespace
}  // namespace ikstream
