// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/clip_call.h"

#include <cstdint>
#include <thread>

#include "absl/strings/cord.h"
#include "cpp/errors.h"
#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "unit/client/fake_engine.h"

namespace ikstream::client {
namespace {

// `frames` frames of one float each.
class CountingSource final : public ClipSource {
 public:
  explicit CountingSource(int frames) : frames_(frames) {}

  absl::Status Rewind() override {
    at_ = 0;
    ++rewinds;
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Next(int max_frames, v1::Motion& motion) override {
    if (at_ == fail_at) return absl::DataLossError("the file ends early");
    if (at_ == frames_) return false;
    const int count = std::min(max_frames, frames_ - at_);
    motion.mutable_root_positions()->Resize(3 * count, 0.0f);
    at_ += count;
    return true;
  }

  int rewinds = 0;
  int fail_at = -1;

 private:
  const int frames_;
  int at_ = 0;
};

class CountingSink final : public ClipSink {
 public:
  absl::Status Begin(const v1::StreamReady&) override {
    ++begins;
    frames = 0;
    return absl::OkStatus();
  }
  absl::Status Take(ClipStream::Reply reply) override {
    frames += reply.motion().frame_count();
    return take;
  }

  int begins = 0;
  int frames = 0;
  absl::Status take;
};

class RunClipTest : public testing::Test {
 protected:
  absl::Status Run(FakeEngine& engine, int frames = 103) {
    source = std::make_unique<CountingSource>(frames);
    source->fail_at = fail_at;
    RetryPolicy retry;
    retry.max_attempts = 4;
    retry.first_delay = absl::Milliseconds(1);
    retry.max_delay = absl::Milliseconds(5);
    retry.stall = stall;
    retry.on_retry = [this](const absl::Status&, absl::Duration delay) {
      delays.push_back(delay);
    };
    return RunClip(engine, {}, *source, sink, retry, cancellation);
  }

  std::unique_ptr<CountingSource> source;
  CountingSink sink;
  Cancellation cancellation;
  std::vector<absl::Duration> delays;
  int fail_at = -1;
  absl::Duration stall = absl::Seconds(30);
};

absl::Status Full(absl::Duration delay) {
  absl::Status status = absl::ResourceExhaustedError("full");
  google::rpc::RetryInfo info;
  const std::int64_t seconds = absl::ToInt64Seconds(delay);
  info.mutable_retry_delay()->set_seconds(seconds);
  info.mutable_retry_delay()->set_nanos(
      static_cast<int>(absl::ToInt64Nanoseconds(delay - absl::Seconds(seconds))));
  status.SetPayload("type.googleapis.com/google.rpc.RetryInfo",
                    absl::Cord(info.SerializeAsString()));
  return status;
}

TEST_F(RunClipTest, SendsAllFramesOnceWithOneReplyUnread) {
  FakeEngine engine({FakeCall{}});
  EXPECT_TRUE(Run(engine, 4003).ok());
  EXPECT_EQ(sink.frames, 4003);
  EXPECT_EQ(engine.opened, 1u);
  EXPECT_EQ(engine.most_unread, 1);
}

TEST_F(RunClipTest, StartsOverFromTheFirstFrameWhenTheServerGoesAway) {
  FakeEngine engine({{{}, 3, absl::UnavailableError("gone")}, FakeCall{}});
  EXPECT_TRUE(Run(engine).ok());
  EXPECT_EQ(source->rewinds, 2);
  EXPECT_EQ(sink.begins, 2);
  EXPECT_EQ(sink.frames, 103);
}

TEST_F(RunClipTest, StartsOverWhenTheServerCancelsWhatNobodyElseDid) {
  FakeEngine engine({{{}, 2, absl::CancelledError("shutting down")}, FakeCall{}});
  EXPECT_TRUE(Run(engine).ok());
  EXPECT_EQ(engine.opened, 2u);
  EXPECT_EQ(sink.frames, 103);
}

TEST_F(RunClipTest, WaitsAtLeastAsLongAsAFullServerAsks) {
  FakeEngine engine({{Full(absl::Milliseconds(40))}, FakeCall{}});
  EXPECT_TRUE(Run(engine).ok());
  ASSERT_EQ(delays.size(), 1u);
  EXPECT_GE(delays[0], absl::Milliseconds(40));
}

TEST_F(RunClipTest, TooLargeIsNotTriedAgain) {
  FakeEngine engine({{absl::ResourceExhaustedError("too many joints")}});
  EXPECT_EQ(Run(engine).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(engine.opened, 1u);
}

TEST_F(RunClipTest, StartsOverWhereTheSetupIsNeverTaken) {
  FakeEngine engine({{.hangs = true}, FakeCall{}});
  stall = absl::Milliseconds(50);
  EXPECT_TRUE(Run(engine).ok());
  EXPECT_EQ(engine.opened, 2u);
  EXPECT_EQ(sink.frames, 103);
}

TEST_F(RunClipTest, GivesUpAfterTheLastAttempt) {
  FakeEngine engine({{{}, 1, absl::UnavailableError("gone")}});
  EXPECT_EQ(Run(engine).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(engine.opened, 4u);
  EXPECT_EQ(delays.size(), 3u);
  EXPECT_EQ(engine.pauses, 3);
}

TEST_F(RunClipTest, RefusalEndsAtOnce) {
  FakeEngine engine({{{}, 2, absl::InvalidArgumentError("NaN")}});
  EXPECT_EQ(Run(engine).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(engine.opened, 1u);
}

TEST_F(RunClipTest, ErrorOfTheSourceWinsOverTheCancelledCall) {
  FakeEngine engine({FakeCall{}});
  fail_at = 8;
  EXPECT_EQ(Run(engine).code(), absl::StatusCode::kDataLoss);
}

TEST_F(RunClipTest, ErrorOfTheSinkEndsTheCall) {
  FakeEngine engine({FakeCall{}});
  sink.take = absl::NotFoundError("disk full");
  EXPECT_EQ(Run(engine, 100000).code(), absl::StatusCode::kNotFound);
}

TEST_F(RunClipTest, CancellationEndsItDuringTheWait) {
  FakeEngine engine({{Full(absl::Minutes(1))}});
  std::thread other([this]() {
    absl::SleepFor(absl::Milliseconds(30));
    cancellation.Cancel();
  });
  const absl::Time start = absl::Now();
  EXPECT_EQ(Run(engine).code(), absl::StatusCode::kCancelled);
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
  other.join();
}

TEST(CancellationTest, ActsOnWatchesOfBeforeAndAfterButNotOnThoseGone) {
  Cancellation cancellation;
  int before = 0, after = 0, gone = 0;
  {
    const Cancellation::Watch watch(cancellation, [&]() { ++gone; });
  }
  const Cancellation::Watch first(cancellation, [&]() { ++before; });
  cancellation.Cancel();
  const Cancellation::Watch second(cancellation, [&]() { ++after; });
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(gone, 0);
}

}  // namespace
}  // namespace ikstream::client
