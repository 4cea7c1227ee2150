// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/console.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace ikstream::cli {
namespace {

TEST(Describe, NamesTheSubjectOnce) {
  EXPECT_EQ(Describe("a.bvh", absl::NotFoundError("a.bvh:4:11: expected a number")),
            "a.bvh:4:11: expected a number");
  EXPECT_EQ(Describe("a.bvh", absl::NotFoundError("no legs")), "a.bvh: no legs");
  EXPECT_EQ(Describe("", absl::NotFoundError("no legs")), "no legs");
}

}  // namespace
}  // namespace ikstream::cli
