// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clean_pass.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/clip_rows.h"
#include "cli/clip_source.h"
#include "cli/exit_code.h"
#include "convert/warnings.h"
#include "cpp/bvh/write.h"

namespace ikstream::cli {
namespace {

constexpr std::int64_t kRowsAtOnce = 256;

// Merges answers into the rows of the source, which it reads a second time: the frames under
// way may be far ahead.
class CleanSink final : public client::ClipSink {
 public:
  CleanSink(const ClipFile& clip, const Span& span, std::string output, FootTracks* tracks)
      : clip_(clip), span_(span), output_(std::move(output)), tracks_(tracks) {}

  absl::Status Begin(const v1::StreamReady& ready) override {
    joints_.assign(ready.driven_joints().begin(), ready.driven_joints().end());
    result_ = {};
    warnings_ = {};
    next_ = 0;
    if (tracks_ != nullptr) tracks_->Begin(ready.feet());
    auto rows = ClipRows::Open(clip_);
    if (!rows.ok()) return rows.status();
    rows_.emplace(*std::move(rows));
    auto writer = bvh::Writer::Create(output_, clip_.header, clip_.layout, clip_.head);
    if (!writer.ok()) return FileError(std::string(writer.status().message()));
    writer_ = *std::move(writer);
    return absl::OkStatus();
  }

  absl::Status Take(client::ClipStream::Reply reply) override {
    if (reply.has_summary()) result_.summary = std::move(*reply.mutable_summary());
    warnings_.Add(reply.motion().warnings());
    return reply.has_motion() ? TakeMotion(reply.motion()) : absl::OkStatus();
  }

  // All answers are in: the rest of the file, then its name.
  absl::StatusOr<CleanPassResult> Finish() {
    if (next_ != span_.end) {
      return absl::InternalError(absl::StrCat("the engine answered ", next_ - span_.begin,
                                              " of ", span_.frames(), " frames"));
    }
    if (absl::Status status = CopyUntil(clip_.frames); !status.ok()) return status;
    if (absl::Status status = writer_->Commit(); !status.ok()) {
      return FileError(std::string(status.message()));
    }
    result_.edits = writer_->report();
    warnings_.Add(result_.summary.warnings());
    result_.summary.clear_warnings();
    warnings_.MoveTo(*result_.summary.mutable_warnings());
    return std::move(result_);
  }

 private:
  absl::Status TakeMotion(const v1::MotionResult& motion) {
    const std::int64_t first = span_.begin + motion.first_frame();
    if (motion.joints_size() > 0)
      joints_.assign(motion.joints().begin(), motion.joints().end());
    if (next_ == 0) {
      if (absl::Status status = CopyUntil(span_.begin); !status.ok()) return status;
    }
    if (first != next_ || motion.frame_count() < 0 ||
        motion.frame_count() > span_.end - first) {
      return absl::InternalError(absl::StrCat("the engine answered frames ", first, ":",
                                              first + motion.frame_count(), " where ", next_,
                                              " was next"));
    }
    bvh::Rows rows;
    if (absl::Status status = Read(motion.frame_count(), rows); !status.ok()) return status;
    const bvh::Edits edits = ToEdits(motion, first);
    if (tracks_ != nullptr) tracks_->Add(bvh::ToClip(clip_.header, clip_.layout, rows), edits);
    return writer_->Write(rows, edits);
  }

  bvh::Edits ToEdits(const v1::MotionResult& motion, std::int64_t first) const {
    const auto view = [](const google::protobuf::RepeatedField<float>& field) {
      return std::span<const float>(field.data(), static_cast<std::size_t>(field.size()));
    };
    bvh::Edits edits;
    edits.first_frame = first;
    edits.frame_count = motion.frame_count();
    edits.root_positions = view(motion.root_positions());
    edits.joints = joints_;
    edits.local_rotations = view(motion.local_rotations());
    edits.local_translations = view(motion.local_translations());
    return edits;
  }

  // The next `count` rows of the source.
  absl::Status Read(std::int64_t count, bvh::Rows& rows) {
    if (absl::Status status = rows_->Next(count, rows); !status.ok()) return status;
    next_ += rows.count();
    return absl::OkStatus();
  }

  absl::Status CopyUntil(std::int64_t end) {
    bvh::Rows rows;
    while (next_ < end) {
      const std::int64_t count = std::min(kRowsAtOnce, end - next_);
      if (absl::Status status = Read(count, rows); !status.ok()) return status;
      if (absl::Status status = writer_->Write(rows); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  const ClipFile& clip_;
  const Span span_;
  const std::string output_;
  FootTracks* const tracks_;
  std::vector<int> joints_;
  std::int64_t next_ = 0;  // the next row of the file
  std::optional<ClipRows> rows_;
  std::unique_ptr<bvh::Writer> writer_;
  CleanPassResult result_;
  Warnings warnings_;  // of answers: those of `ready` say what was found, which reports show
};

}  // namespace

absl::StatusOr<CleanPassResult> CleanInto(const PassContext& context, const ClipFile& clip,
                                          const v1::Setup& base, const Span& span,
                                          const v1::Plan& plan, const std::string& output,
                                          FootTracks* tracks) {
  client::ClipCall call;
  call.setup = SetupFor(v1::MODE_CLEAN, base, span);
  call.setup.clear_contacts();  // the plan holds them
  call.setup.set_plan_follows(true);
  call.plan = &plan;
  call.frame_bytes = clip.FrameBytes();
  call.max_batch_frames = MostBatchFrames(*context.engine);
  BvhSource source(clip, span, context.progress);
  CleanSink sink(clip, span, output, tracks);
  absl::Status status = client::RunClip(*context.engine, call, source, sink, context.retry,
                                        *context.cancellation);
  if (!status.ok()) return status;
  return sink.Finish();
}

}  // namespace ikstream::cli
