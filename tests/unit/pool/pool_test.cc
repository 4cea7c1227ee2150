// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "pool/pool.h"

#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "unit/pool/blocker.h"

namespace ikstream {
namespace {

using std::chrono::milliseconds;
using testing::Blocker;
using ::testing::ElementsAre;
using Fate = Pool::Turn::Fate;
constexpr auto kInteractive = Pool::Priority::kInteractive;
constexpr auto kBulk = Pool::Priority::kBulk;
constexpr auto kAlways = Pool::Admit::kAlways;
constexpr auto kIfRoom = Pool::Admit::kIfRoom;

// What ran, in order.
class Journal {
 public:
  Pool::Task Note(std::string what) {
    return [this, what = std::move(what)](const Pool::Turn& turn) {
      std::lock_guard lock(mutex_);
      notes_.push_back(turn.fate == Fate::kRun ? what : what + " dropped");
    };
  }
  std::vector<std::string> notes() const {
    std::lock_guard lock(mutex_);
    return notes_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

// Waits until all that was submitted has run.
void Settle(Pool& pool) {
  while (pool.stats().waiting > 0 || pool.stats().running > 0) {
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST(PoolTest, AStrandRunsInOrderAndOneAtATime) {
  Pool pool({.workers = 4});
  auto strand = pool.NewStrand(kBulk);
  std::vector<int> order;  // unguarded on purpose: the strand must serialise
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(
        strand->Submit([&order, i](const Pool::Turn&) { order.push_back(i); }, kAlways));
  }
  Settle(pool);
  ASSERT_EQ(order.size(), 500);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(order[i], i);
}

TEST(PoolTest, StrandsTakeTurns) {
  Journal journal;
  Pool pool({.workers = 1});
  Blocker blocker(pool);
  auto busy = pool.NewStrand(kBulk);
  auto late = pool.NewStrand(kBulk);
  for (int i = 0; i < 3; ++i) busy->Submit(journal.Note("busy"), kAlways);
  late->Submit(journal.Note("late"), kAlways);
  blocker.Release();
  Settle(pool);
  EXPECT_THAT(journal.notes(), ElementsAre("busy", "late", "busy", "busy"));
}

TEST(PoolTest, InteractiveGoesFirstAndBulkIsNotStarved) {
  Journal journal;
  Pool pool({.workers = 1, .interactive_run = 2});
  Blocker blocker(pool);
  auto bulk = pool.NewStrand(kBulk);
  auto live = pool.NewStrand(kInteractive);
  for (int i = 0; i < 2; ++i) bulk->Submit(journal.Note("bulk"), kAlways);
  for (int i = 0; i < 5; ++i) live->Submit(journal.Note("live"), kAlways);
  blocker.Release();
  Settle(pool);
  EXPECT_THAT(journal.notes(),
              ElementsAre("live", "live", "bulk", "live", "live", "bulk", "live"));
}

TEST(PoolTest, AFullQueueRefusesBeginningsOnly) {
  Journal journal;
  Pool pool({.workers = 1, .capacity = 1});
  Blocker blocker(pool);
  auto first = pool.NewStrand(kBulk);
  EXPECT_TRUE(first->Submit(journal.Note("a"), kIfRoom));
  EXPECT_FALSE(pool.NewStrand(kInteractive)->Submit(journal.Note("b"), kIfRoom));
  EXPECT_TRUE(first->Submit(journal.Note("c"), kAlways));
  EXPECT_EQ(pool.stats().refused, 1);
  EXPECT_EQ(pool.stats().waiting, 2);
  blocker.Release();
  Settle(pool);
  EXPECT_THAT(journal.notes(), ElementsAre("a", "c"));
}

TEST(PoolTest, WorkPastItsDeadlineIsDroppedAndCounted) {
  Journal journal;
  Pool pool({.workers = 1});
  Blocker blocker(pool);
  auto strand = pool.NewStrand(kBulk, Pool::Clock::now() + milliseconds(5));
  strand->Submit(journal.Note("late"), kAlways);
  std::this_thread::sleep_for(milliseconds(10));
  blocker.Release();
  Settle(pool);
  EXPECT_THAT(journal.notes(), ElementsAre("late dropped"));
  EXPECT_EQ(pool.stats().expired, 1);
}

TEST(PoolTest, AClosedStrandDropsWhatWaitsUncalled) {
  Journal journal;
  Pool pool({.workers = 1});
  Blocker blocker(pool);
  auto strand = pool.NewStrand(kBulk);
  auto owned = std::make_shared<int>();
  for (int i = 0; i < 3; ++i) {
    strand->Submit([owned, note = journal.Note("x")](const Pool::Turn& turn) { note(turn); },
                   kAlways);
  }
  EXPECT_EQ(strand->Close(), 3);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(pool.stats().waiting, 0);
  EXPECT_EQ(pool.stats().closed, 3);
  EXPECT_FALSE(strand->Submit(journal.Note("y"), kAlways));
  EXPECT_EQ(strand->Close(), 0);
  blocker.Release();
  Settle(pool);
  EXPECT_TRUE(journal.notes().empty());
}

TEST(PoolTest, MeasuresTheWait) {
  Pool pool({.workers = 1});
  Blocker blocker(pool);
  auto strand = pool.NewStrand(kBulk);
  std::promise<Pool::Clock::duration> waited;
  strand->Submit([&waited](const Pool::Turn& turn) { waited.set_value(turn.waited); }, kAlways);
  std::this_thread::sleep_for(milliseconds(20));
  blocker.Release();
  const auto wait = waited.get_future().get();
  EXPECT_GE(wait, milliseconds(20));
  EXPECT_LT(wait, std::chrono::seconds(10));
}

TEST(PoolTest, StopTellsWhatWaits) {
  Journal journal;
  Pool pool({.workers = 1});
  auto blocker = std::make_unique<Blocker>(pool);
  auto strand = pool.NewStrand(kBulk);
  strand->Submit(journal.Note("a"), kAlways);
  strand->Submit(journal.Note("b"), kAlways);
  std::thread stopping([&pool] { pool.Stop(); });
  // Stop has begun once it refuses.
  while (pool.NewStrand(kBulk)->Submit([](const Pool::Turn&) {}, kIfRoom)) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  blocker->Release();
  stopping.join();
  EXPECT_THAT(journal.notes(), ElementsAre("a dropped", "b dropped"));
  EXPECT_FALSE(strand->Submit(journal.Note("c"), kAlways));
}

}  // namespace
}  // namespace ikstream
