// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_source.h"

#include <algorithm>
#include <utility>

#include "cli/platform_file.h"

namespace ikstream::cli {
namespace {

template <class Values>
void Assign(const Values& values, google::protobuf::RepeatedField<float>& field) {
  field.Clear();
  field.Add(values.begin(), values.end());
}

// Rows [begin, end) of the file out of rows that hold them.
bvh::Rows Cut(const bvh::Rows& rows, std::int64_t begin, std::int64_t end) {
  return rows.Slice(begin - rows.first_frame, end - rows.first_frame);
}

}  // namespace

BvhSource::BvhSource(const ClipFile& clip, const Span& span,
                     std::function<void(std::int64_t)> progress)
    : clip_(clip), progress_(std::move(progress)) {
  if (!span.loop) {
    pieces_ = {{span.begin - span.lead_in, span.end + span.lead_out, 0}};
    return;
  }
  loop_ = MeasureLoop(clip);
  // Frame -k of the loop is frame `period` - k of the round before, frame N + k the frame
  // N + k - period of the round after.
  const std::int64_t after = span.end - loop_.frames;
  pieces_ = {{loop_.frames - span.lead_in, loop_.frames, -1},
             {span.begin, span.end, 0},
             {after, after + span.lead_out, 1}};
}

absl::Status BvhSource::Rewind() {
  auto rows = ClipRows::Open(clip_);
  if (!rows.ok()) return rows.status();
  rows_.emplace(*std::move(rows));
  at_ = 0;
  piece_ = 0;
  sent_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> BvhSource::Next(int max_frames, v1::Motion& motion) {
  while (piece_ < pieces_.size() && pieces_[piece_].begin + sent_ == pieces_[piece_].end) {
    ++piece_;
    sent_ = 0;
  }
  if (piece_ == pieces_.size()) return false;
  const Piece& piece = pieces_[piece_];
  const std::int64_t begin = piece.begin + sent_;
  const std::int64_t end = std::min(piece.end, begin + max_frames);
  bvh::Rows rows;
  if (absl::Status status = ReadRows({begin, end, piece.rounds}, rows); !status.ok()) {
    return status;
  }
  sent_ += rows.count();
  Pack(rows, piece.rounds, motion);
  AddPlatforms(clip_.platforms, begin, begin + rows.count(), motion);
  if (progress_) progress_(rows.count());
  return true;
}

absl::Status BvhSource::ReadRows(const Piece& piece, bvh::Rows& rows) {
  if (piece.rounds != 0) {
    rows = Cut(piece.rounds < 0 ? clip_.tail : clip_.head, piece.begin, piece.end);
    return absl::OkStatus();
  }
  if (absl::Status status = rows_->Skip(piece.begin - at_); !status.ok()) return status;
  at_ = piece.end;
  return rows_->Next(piece.end - piece.begin, rows);
}

void BvhSource::Pack(const bvh::Rows& rows, int rounds, v1::Motion& motion) const {
  bvh::Clip packed = bvh::ToClip(clip_.header, clip_.layout, rows);
  if (rounds != 0) {
    for (std::size_t i = 0; i < packed.root_positions.size(); ++i) {
      packed.root_positions[i] += static_cast<float>(rounds * loop_.shift[i % 3]);
    }
  }
  Assign(packed.root_positions, *motion.mutable_root_positions());
  Assign(packed.local_rotations, *motion.mutable_local_rotations());
  Assign(packed.local_translations, *motion.mutable_local_translations());
}

}  // namespace ikstream::cli
