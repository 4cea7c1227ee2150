// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How a stream ends: errors, drain, cancel, deadline, a server that is full.
#include <chrono>
#include <thread>

#include "core/field_error.h"
#include "gtest/gtest.h"
#include "service/errors.h"
#include "service/fake_transport.h"
#include "unit/pool/blocker.h"

namespace ikstream {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using testing::Blocker;
using testing::Counts;
using testing::MetadataOf;
using testing::Stream;

class StreamEndTest : public ::testing::Test {
 protected:
  Pool pool_{{.workers = 2}};
};

TEST_F(StreamEndTest, AnErrorComesAfterTheValidFramesBeforeIt) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("fail_at=12"));
  ASSERT_TRUE(stream.SendMotion(10));
  ASSERT_TRUE(stream.SendMotion(10));
  const absl::Status status = stream.TakeAll();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "motion.local_rotations");
  EXPECT_EQ(MetadataOf(status, "frame"), "12");
  EXPECT_EQ(MetadataOf(status, "frames_done"), "12");
  EXPECT_EQ(stream.FramesAnswered(), 12);
  EXPECT_FALSE(stream.view().broken);
}

TEST_F(StreamEndTest, TheOrderOfMessagesIsKept) {
  const auto code = [this](auto&&... sends) {
    Stream stream(pool_);
    stream.machine().Start();
    (sends(stream), ...);
    return stream.TakeAll().code();
  };
  const auto setup = [](Stream& s) { s.SendSetup(); };
  const auto motion = [](Stream& s) { s.SendMotion(1); };
  const auto nothing = [](Stream& s) { s.Send({}); };
  const auto end = [](Stream& s) { s.HalfClose(); };
  EXPECT_EQ(code(motion), StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(end), StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(setup, setup), StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(setup, nothing), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(setup, end), StatusCode::kOk);
}

TEST_F(StreamEndTest, ADrainEndsAnIdleStream) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup());
  ASSERT_TRUE(stream.SendMotion(5));
  ASSERT_TRUE(stream.Take());
  ASSERT_TRUE(stream.Take());
  stream.machine().Drain();
  const absl::Status status = stream.TakeAll();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(FactsOf(status).reason, "DRAINING");
  EXPECT_EQ(MetadataOf(status, "frames_done"), "5");
}

TEST_F(StreamEndTest, ADrainWaitsForTheBatchBeingSolvedAndDropsTheRest) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("work_ms=50"));
  ASSERT_TRUE(stream.Take());
  ASSERT_TRUE(stream.SendMotion(3));
  ASSERT_TRUE(stream.SendMotion(4));
  while (Counts().working == 0) std::this_thread::yield();
  stream.machine().Drain();
  const absl::Status status = stream.TakeAll();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_EQ(MetadataOf(status, "frames_done"), "3");
  EXPECT_EQ(stream.FramesAnswered(), 3);
}

TEST_F(StreamEndTest, ADrainLetsAHalfClosedStreamRunToItsEnd) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("work_ms=20"));
  ASSERT_TRUE(stream.SendMotion(3));
  ASSERT_TRUE(stream.HalfClose());
  stream.machine().Drain();
  EXPECT_TRUE(stream.TakeAll().ok());
  EXPECT_EQ(stream.view().replies.back().summary().frames(), 3);
}

TEST_F(StreamEndTest, ACancelStopsTheSolve) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("work_ms=60000"));
  ASSERT_TRUE(stream.SendMotion(3));
  while (Counts().working == 0) std::this_thread::yield();
  stream.transport().Answered(&testing::FakeTransport::View::writes);
  const auto begin = Stop::Clock::now();
  stream.machine().OnWritten(true);
  stream.machine().OnCancel();
  ASSERT_TRUE(stream.transport().WaitFor([](const auto& v) { return v.finishes == 1; }));
  EXPECT_LT(Stop::Clock::now() - begin, milliseconds(1000));
  EXPECT_EQ(stream.view().status.code(), StatusCode::kCancelled);
  EXPECT_EQ(stream.view().replies.size(), 1);
}

TEST_F(StreamEndTest, ABrokenWriteEndsTheStream) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup());
  ASSERT_TRUE(stream.SendMotion(1));
  ASSERT_TRUE(stream.Take(/*ok=*/false));
  EXPECT_EQ(stream.TakeAll().code(), StatusCode::kCancelled);
}

TEST_F(StreamEndTest, WorkPastTheDeadlineIsNotBegun) {
  Stream stream(pool_, CallShape::kStream, {}, Stop::Clock::now() + milliseconds(20));
  stream.machine().Start();
  std::this_thread::sleep_for(milliseconds(30));
  ASSERT_TRUE(stream.SendSetup());
  EXPECT_EQ(stream.TakeAll().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(pool_.stats().expired, 1);
  EXPECT_TRUE(stream.view().replies.empty());
}

TEST_F(StreamEndTest, AFullQueueRefusesBeforeAnyAnswer) {
  Pool pool({.workers = 1, .capacity = 1});
  Blocker blocker(pool);
  Stream waits(pool), refused(pool);
  waits.machine().Start();
  refused.machine().Start();
  ASSERT_TRUE(waits.SendSetup());
  ASSERT_TRUE(refused.SendSetup());
  const absl::Status status = refused.TakeAll();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(FactsOf(status).reason, "QUEUE_FULL");
  EXPECT_GT(FactsOf(status).retry.value().count(), 0);
  EXPECT_TRUE(refused.view().replies.empty());
  blocker.Release();
  EXPECT_TRUE(waits.Take());
}

TEST_F(StreamEndTest, APoolThatStopsEndsTheStreamAsADrain) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup());
  ASSERT_TRUE(stream.Take());
  pool_.Stop();
  ASSERT_TRUE(stream.SendMotion(1));
  EXPECT_EQ(stream.TakeAll().code(), StatusCode::kUnavailable);
}

TEST_F(StreamEndTest, AnAnswerLargerThanSessionsCutIsAFault) {
  Stream stream(pool_);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("reply_bytes=1200000"));
  ASSERT_TRUE(stream.SendMotion(1));
  EXPECT_EQ(stream.TakeAll().code(), StatusCode::kInternal);
}

}  // namespace
}  // namespace ikstream
