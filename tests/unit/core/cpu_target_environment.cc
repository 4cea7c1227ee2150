// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Runs all tests of the binary on the CPU target that IKSTREAM_TEST_CPU_TARGET names; where the
// build or the machine lacks it, all are skipped.
#include <cstdio>
#include <cstdlib>

#include "core/solve.h"
#include "gtest/gtest.h"

namespace ikstream {
namespace {

class CpuTargetEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    const char* target = std::getenv("IKSTREAM_TEST_CPU_TARGET");
    if (target == nullptr) return;
    if (!PinCpuTarget(target).ok())
      GTEST_SKIP() << "the CPU target " << target << " is not in this build";
    ASSERT_STREQ(CpuTarget(), target);
    std::printf("on %s\n", CpuTarget());
  }
};

const auto* const environment = testing::AddGlobalTestEnvironment(new CpuTargetEnvironment);

}  // namespace
}  // namespace ikstream
