// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The frames of a BVH file as batches for a call.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "cli/clip_file.h"
#include "cli/clip_rows.h"
#include "cli/span.h"
#include "cpp/clip_call.h"

namespace ikstream::cli {

// Reads the file anew for each attempt, in bounded memory. `clip` outlives it.
class BvhSource final : public client::ClipSource {
 public:
  // `progress` is told how many frames were sent; may be empty.
  BvhSource(const ClipFile& clip, const Span& span, std::function<void(std::int64_t)> progress);

  absl::Status Rewind() override;
  absl::StatusOr<bool> Next(int max_frames, v1::Motion& motion) override;

 private:
  // A run of rows of the file, with the root moved by `rounds` periods of the loop.
  struct Piece {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int rounds = 0;
  };

  absl::Status ReadRows(const Piece& piece, bvh::Rows& rows);
  void Pack(const bvh::Rows& rows, int rounds, v1::Motion& motion) const;

  const ClipFile& clip_;
  LoopStep loop_;
  std::vector<Piece> pieces_;
  std::function<void(std::int64_t)> progress_;
  std::optional<ClipRows> rows_;
  std::int64_t at_ = 0;    // the next one of rows_
  std::size_t piece_ = 0;  // the piece being sent
  std::int64_t sent_ = 0;  // rows of it that were sent
};

}  // namespace ikstream::cli
