// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "pool/pool.h"

namespace ikstream {
namespace {

struct Tally {
  std::atomic<int> submitted{0}, called{0}, dropped{0}, refused{0};
};

// A caller that submits to a strand of its own and closes every third one early.
void Call(Pool& pool, int round, Tally& tally) {
  const auto priority = round % 2 == 0 ? Pool::Priority::kInteractive : Pool::Priority::kBulk;
  auto strand = pool.NewStrand(priority);
  auto unguarded = std::make_shared<int>(0);  // races where a strand runs two tasks at once
  for (int i = 0; i < 8; ++i) {
    auto task = [unguarded, &tally](const Pool::Turn&) {
      ++*unguarded;
      ++tally.called;
    };
    const auto admit = i == 0 ? Pool::Admit::kIfRoom : Pool::Admit::kAlways;
    if (!strand->Submit(task, admit)) {
      ++tally.refused;
      return;
    }
    ++tally.submitted;
  }
  if (round % 3 == 0) tally.dropped += strand->Close();
}

TEST(PoolStressTest, EveryTaskRunsOnceOrIsDropped) {
  Tally tally;
  Pool pool({.workers = 3, .capacity = 64});
  {
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
      callers.emplace_back([&pool, &tally] {
        for (int round = 0; round < 300; ++round) Call(pool, round, tally);
      });
    }
    for (std::thread& caller : callers) caller.join();
  }
  pool.Stop();
  EXPECT_EQ(tally.called + tally.dropped, tally.submitted);
  EXPECT_GT(tally.called, 0);
  const Pool::Stats stats = pool.stats();
  EXPECT_EQ(stats.refused, tally.refused);
  EXPECT_EQ(stats.closed, tally.dropped);
  EXPECT_EQ(stats.waiting, 0);
  EXPECT_EQ(stats.running, 0);
}

TEST(PoolStressTest, StopsWhileCallersSubmit) {
  for (int round = 0; round < 20; ++round) {
    Tally tally;
    auto pool = std::make_unique<Pool>(Pool::Options{.workers = 2});
    std::thread caller([&pool, &tally] {
      for (int i = 0; i < 50; ++i) Call(*pool, i, tally);
    });
    pool->Stop();
    caller.join();
    EXPECT_EQ(tally.called + tally.dropped, tally.submitted);
  }
}

}  // namespace
}  // namespace ikstream
