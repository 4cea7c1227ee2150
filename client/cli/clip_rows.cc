// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_rows.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"

namespace ikstream::cli {
namespace {

constexpr std::int64_t kSkippedAtOnce = 1024;

}  // namespace

absl::StatusOr<ClipRows> ClipRows::Open(const ClipFile& clip) {
  ClipRows rows(clip);
  if (clip.rows != nullptr) return rows;
  auto reader = bvh::FrameReader::Open(clip.path, clip.read);
  if (!reader.ok()) return reader.status();
  rows.reader_ = *std::move(reader);
  return rows;
}

absl::Status ClipRows::Next(std::int64_t count, bvh::Rows& rows) {
  if (reader_ == nullptr) {
    const std::int64_t end = std::min(next_ + count, clip_->rows->count());
    rows = clip_->rows->Slice(next_, end);
  } else if (absl::Status status = reader_->Next(count, &rows); !status.ok()) {
    return status;
  }
  next_ += rows.count();
  if (rows.count() == count) return absl::OkStatus();
  return FileError(absl::StrCat(clip_->path, ": became shorter while it was read"));
}

absl::Status ClipRows::Skip(std::int64_t count) {
  if (reader_ == nullptr) {
    next_ += count;
    return absl::OkStatus();
  }
  bvh::Rows rows;
  for (const std::int64_t end = next_ + count; next_ < end;) {
    const std::int64_t some = std::min(kSkippedAtOnce, end - next_);
    if (absl::Status status = Next(some, rows); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace ikstream::cli
