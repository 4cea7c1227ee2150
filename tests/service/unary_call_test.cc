// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/unary_call.h"

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "gtest/gtest.h"
#include "prometheus/registry.h"
#include "service/errors.h"
#include "unit/pool/blocker.h"

namespace ikstream {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using testing::Blocker;

class UnaryCallTest : public ::testing::Test {
 protected:
  std::shared_ptr<UnaryCall> Call(
      UnaryCall::Work work, Stop::Clock::time_point deadline = Stop::Clock::time_point::max()) {
    return std::make_shared<UnaryCall>(
        pool_, PriorityClass::kInteractive, CallMetrics(metrics_, Method::kSolve), deadline,
        std::move(work), [this](const absl::Status& status) { end_.set_value(status); });
  }
  StatusCode End() { return end_.get_future().get().code(); }

  prometheus::Registry registry_;
  Metrics metrics_{registry_, {{"ccd"}, "", ""}};
  std::promise<absl::Status> end_;  // throws where a call ends twice
  Pool pool_{{.workers = 1, .capacity = 1}};
};

absl::Status Succeed(const Stop&, CallMetrics&) { return absl::OkStatus(); }
absl::Status Fail(const Stop&, CallMetrics&) { return absl::InvalidArgumentError("bad"); }
absl::Status WorkUntilStopped(const Stop& stop, CallMetrics&) {
  while (!stop.ShouldStop()) std::this_thread::sleep_for(milliseconds(1));
  return stop.status();
}

TEST_F(UnaryCallTest, EndsWithTheStatusOfItsWork) {
  Call(&Fail)->Start();
  EXPECT_EQ(End(), StatusCode::kInvalidArgument);
  EXPECT_EQ(metrics_.rpc_handled(Method::kSolve, StatusCode::kInvalidArgument).Value(), 1);
}

TEST_F(UnaryCallTest, ACancelEndsItWhereItWaits) {
  Blocker blocker(pool_);
  auto call = Call(&Succeed);
  call->Start();
  call->Cancel();
  EXPECT_EQ(End(), StatusCode::kCancelled);
  EXPECT_EQ(metrics_.cancelled(Method::kSolve).Value(), 1);
}

TEST_F(UnaryCallTest, ACancelStopsItsWork) {
  auto call = Call(&WorkUntilStopped);
  call->Start();
  while (pool_.stats().running == 0) std::this_thread::yield();
  call->Cancel();
  EXPECT_EQ(End(), StatusCode::kCancelled);
}

TEST_F(UnaryCallTest, ADeadlineFreesTheWorker) {
  const auto deadline = Stop::Clock::now() + milliseconds(30);
  Call(&WorkUntilStopped, deadline)->Start();
  EXPECT_EQ(End(), StatusCode::kDeadlineExceeded);
  EXPECT_GE(Stop::Clock::now(), deadline);
}

TEST_F(UnaryCallTest, IsRefusedWhereTheQueueIsFull) {
  Blocker blocker(pool_);
  auto filler = pool_.NewStrand(Pool::Priority::kBulk);
  filler->Submit([](const Pool::Turn&) {}, Pool::Admit::kIfRoom);
  Call(&Succeed)->Start();
  const absl::Status status = end_.get_future().get();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(FactsOf(status).metadata.at("limit"), "1");
  EXPECT_EQ(metrics_.rejected(Rejection::kQueueFull).Value(), 1);
}

}  // namespace
}  // namespace ikstream
