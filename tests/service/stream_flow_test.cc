// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// When a stream reads, solves and writes.
#include <chrono>
#include <thread>

#include "gtest/gtest.h"
#include "service/fake_transport.h"
#include "unit/pool/blocker.h"

namespace ikstream {
namespace {

using testing::Blocker;
using testing::Stream;

TEST(StreamFlowTest, AnswersReadyThenBatchesInOrderThenTheSummary) {
  Pool pool({.workers = 4});
  Stream stream(pool);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup());
  for (int batch = 0; batch < 20; ++batch) {
    ASSERT_TRUE(stream.SendMotion(batch + 1));
    if (batch >= 1) {
      ASSERT_TRUE(stream.Take());
    }
  }
  ASSERT_TRUE(stream.HalfClose());
  EXPECT_TRUE(stream.TakeAll().ok());
  const auto view = stream.view();
  EXPECT_FALSE(view.broken);
  ASSERT_EQ(view.replies.size(), 22);
  EXPECT_EQ(view.replies[0].ready().batches_in_flight(), 2);
  std::int64_t next = 0;
  for (int batch = 0; batch < 20; ++batch) {
    EXPECT_EQ(view.replies[batch + 1].motion().first_frame(), next);
    next += view.replies[batch + 1].motion().frame_count();
  }
  EXPECT_EQ(view.replies.back().summary().frames(), 210);
}

TEST(StreamFlowTest, ReadingPausesWhileBatchesAreUnsolved) {
  Pool pool({.workers = 1});
  ServiceOptions options;
  options.batches_in_flight = 3;
  Stream stream(pool, CallShape::kStream, options);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup());
  ASSERT_TRUE(stream.WaitIdle());
  Blocker blocker(pool);
  for (int batch = 0; batch < 3; ++batch) ASSERT_TRUE(stream.SendMotion(1));
  EXPECT_EQ(stream.view().reads, 0);
  blocker.Release();
  EXPECT_TRUE(stream.transport().WaitFor([](const auto& v) { return v.reads == 1; }));
}

TEST(StreamFlowTest, ReadingPausesWhileTheClientDoesNotTakeAnswers) {
  Pool pool({.workers = 1});
  ServiceOptions options;
  options.batches_in_flight = 1;
  options.max_output_bytes = 100'000;
  Stream stream(pool, CallShape::kStream, options);
  stream.machine().Start();
  ASSERT_TRUE(stream.SendSetup("reply_bytes=60000"));
  int sent = 0;
  while (sent < 100) {
    ASSERT_TRUE(stream.WaitIdle());
    if (stream.view().reads == 0) break;
    ASSERT_TRUE(stream.SendMotion(1));
    ++sent;
  }
  EXPECT_EQ(sent, 2);  // the second passes the bound
  EXPECT_EQ(stream.view().writes, 1);
  EXPECT_TRUE(stream.Take());  // ready
  EXPECT_TRUE(stream.Take());  // the first batch: below the bound again
  EXPECT_EQ(stream.view().reads, 1);
}

TEST(StreamFlowTest, AWholeCallIsAnsweredWithoutReading) {
  Pool pool({.workers = 2});
  Stream stream(pool, CallShape::kClip);
  v1::Setup setup;
  const v1::Motion motion = testing::FakeMotion(7);
  stream.machine().StartWhole(setup, motion);
  EXPECT_TRUE(stream.TakeAll().ok());
  const auto view = stream.view();
  EXPECT_EQ(view.reads, 0);
  ASSERT_EQ(view.replies.size(), 3);
  EXPECT_TRUE(view.replies[0].has_ready());
  EXPECT_EQ(view.replies[1].motion().frame_count(), 7);
  EXPECT_EQ(view.replies[2].summary().frames(), 7);
}

TEST(StreamFlowTest, AnInteractiveStreamOvertakesBulk) {
  Pool pool({.workers = 1});
  Stream live(pool), bulk(pool);
  Blocker blocker(pool);
  v1::SolveStreamRequest setup;
  bulk.machine().Start();
  live.machine().Start();
  ASSERT_TRUE(bulk.SendSetup("work_ms=20"));
  ASSERT_TRUE(bulk.SendMotion(1));
  setup.mutable_setup()->set_priority(v1::PRIORITY_INTERACTIVE);
  ASSERT_TRUE(live.Send(setup));
  ASSERT_TRUE(live.SendMotion(1));
  blocker.Release();
  ASSERT_TRUE(live.Take());
  EXPECT_TRUE(live.transport().WaitFor([](const auto& v) { return v.replies.size() == 2; }));
  EXPECT_EQ(bulk.FramesAnswered(), 0);
}

}  // namespace
}  // namespace ikstream
