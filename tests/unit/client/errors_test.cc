// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/errors.h"

#include "cli/console.h"
#include "cli/exit_code.h"
#include "core/field_error.h"
#include "gtest/gtest.h"

namespace ikstream {
namespace {

TEST(ErrorsTest, CoreErrorsCarryFieldAndFrameAsAServersDo) {
  const absl::Status status =
      client::WithDetails(AtFrame(FieldError("motion.local_rotations", "zero length"), 17));
  const auto fields = client::FieldViolations(status);
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].field, "motion.local_rotations");
  EXPECT_EQ(fields[0].description, "zero length");
  EXPECT_EQ(client::ErrorFrame(status), 17);
  EXPECT_EQ(cli::Describe(status), "motion.local_rotations: zero length (frame 17)");
}

TEST(ErrorsTest, OnlyWhatMayPassLaterIsTransient) {
  EXPECT_TRUE(client::IsTransient(absl::UnavailableError("")));
  EXPECT_FALSE(client::IsTransient(absl::ResourceExhaustedError("")));
  EXPECT_FALSE(client::IsTransient(absl::InvalidArgumentError("")));
  EXPECT_FALSE(client::IsTransient(absl::OkStatus()));
}

TEST(ExitCodeTest, CausesHaveTheirOwnCodes) {
  using cli::ExitCodeFor;
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeFor(cli::UsageError("x")), 2);
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("x")), 3);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), 4);
  EXPECT_EQ(ExitCodeFor(absl::ResourceExhaustedError("x")), 5);
  EXPECT_EQ(ExitCodeFor(absl::DeadlineExceededError("x")), 6);
  EXPECT_EQ(ExitCodeFor(absl::UnauthenticatedError("x")), 7);
  EXPECT_EQ(ExitCodeFor(cli::FileError("x")), 8);
  EXPECT_EQ(ExitCodeFor(absl::UnimplementedError("x")), 9);
  EXPECT_EQ(ExitCodeFor(absl::InternalError("x")), 10);
  EXPECT_EQ(ExitCodeFor(absl::CancelledError("x")), 130);
}

TEST(ExitCodeTest, SeveralClipsShareACodeOnlyIfAllEndedAlike) {
  using namespace cli;  // NOLINT: codes only
  EXPECT_EQ(ExitCodeForAll({kOk, kOk}), kOk);
  EXPECT_EQ(ExitCodeForAll({kOk, kBadInput}), kSomeFailed);
  EXPECT_EQ(ExitCodeForAll({kUnavailable, kUnavailable}), kUnavailable);
  EXPECT_EQ(ExitCodeForAll({kBadInput, kInterrupted}), kInterrupted);
}

TEST(ExitCodeTest, HelpListsEveryCode) {
  const std::string help = cli::ExitCodeHelp();
  for (const char* code : {"  0 ", "  1 ", "  2 ", "  10 ", "  130 "}) {
    EXPECT_NE(help.find(code), std::string::npos) << code;
  }
}

}  // namespace
}  // namespace ikstream
