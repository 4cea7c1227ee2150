// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The rows of a clip from the first to the last: from memory where the clip is small enough to
// be kept (ClipFile::rows), else from its file once more.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "cli/clip_file.h"

namespace ikstream::cli {

class ClipRows {
 public:
  // `clip` outlives the reader.
  static absl::StatusOr<ClipRows> Open(const ClipFile& clip);

  // Replaces `rows` by the next `count` rows. An error where the file has become shorter.
  absl::Status Next(std::int64_t count, bvh::Rows& rows);
  // Goes on behind the next `count` rows.
  absl::Status Skip(std::int64_t count);

 private:
  explicit ClipRows(const ClipFile& clip) : clip_(&clip) {}

  const ClipFile* clip_;
  std::int64_t next_ = 0;
  std::unique_ptr<bvh::FrameReader> reader_;  // null: from memory
};

}  // namespace ikstream::cli
