// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/time/clock.h"

namespace ikstream::client {
namespace {

TEST(Watchdog, BarksOnceWhenNobodyFeedsIt) {
  std::atomic<int> barks{0};
  Watchdog dog(absl::Milliseconds(20), [&] { ++barks; });
  const absl::Time end = absl::Now() + absl::Seconds(10);
  while (barks == 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(5));
  absl::SleepFor(absl::Milliseconds(60));
  EXPECT_EQ(barks, 1);
}

TEST(Watchdog, IsQuietWhileFedAndWhenItGoes) {
  std::atomic<int> barks{0};
  {
    Watchdog dog(absl::Seconds(2), [&] { ++barks; });
    const absl::Time end = absl::Now() + absl::Milliseconds(2500);
    while (absl::Now() < end) {
      dog.Feed();
      absl::SleepFor(absl::Milliseconds(5));
    }
  }
  EXPECT_EQ(barks, 0);
}

TEST(Watchdog, ZeroPatienceNeverBarks) {
  std::atomic<int> barks{0};
  Watchdog dog(absl::ZeroDuration(), [&] { ++barks; });
  absl::SleepFor(absl::Milliseconds(30));
  EXPECT_EQ(barks, 0);
}

}  // namespace
}  // namespace ikstream::client
