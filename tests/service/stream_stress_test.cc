// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Many streams at once whose clients cancel, whose server drains, at any moment.
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "service/fake_transport.h"

namespace ikstream {
namespace {

using testing::FakeTransport;
using testing::Stream;

// One thread plays the client's sending half, one its receiving half, one disturbs.
void Play(Pool& pool, unsigned seed) {
  Stream stream(pool);
  stream.machine().Start();
  std::thread sender([&stream, seed] {
    std::minstd_rand random(seed);
    bool open = stream.SendSetup(seed % 5 == 0 ? "fail_at=3" : "");
    for (auto i = random() % 6; open && i > 0; --i) open = stream.SendMotion(2);
    if (open) stream.transport().WaitFor([](const auto& v) { return v.reads || v.finishes; });
    if (open && stream.view().reads == 1 && seed % 2 == 0) stream.HalfClose();
  });
  std::thread disturber([&stream, seed] {
    std::this_thread::sleep_for(std::chrono::microseconds(50 * (seed % 40)));
    if (seed % 3 == 0) stream.machine().OnCancel();
    if (seed % 3 == 1) stream.machine().Drain();
    if (seed % 3 == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stream.machine().OnCancel();
    }
  });
  const absl::Status status = stream.TakeAll();
  sender.join();
  disturber.join();
  const FakeTransport::View view = stream.view();
  EXPECT_EQ(view.finishes, 1);
  EXPECT_FALSE(view.broken);
  EXPECT_NE(status.code(), absl::StatusCode::kUnknown);
  std::int64_t next = 0;
  for (const Session::Reply& reply : view.replies) {
    if (!reply.has_motion()) continue;
    EXPECT_EQ(reply.motion().first_frame(), next);
    next += reply.motion().frame_count();
  }
}

TEST(StreamStressTest, EveryStreamEndsOnceWhateverHappens) {
  Pool pool({.workers = 3});
  std::vector<std::thread> players;
  for (unsigned t = 0; t < 6; ++t) {
    players.emplace_back([&pool, t] {
      for (unsigned i = 0; i < 25; ++i) Play(pool, 25 * t + i);
    });
  }
  for (std::thread& player : players) player.join();
  EXPECT_EQ(testing::Counts().sessions, 0);
}

}  // namespace
}  // namespace ikstream
