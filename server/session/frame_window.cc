// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/frame_window.h"

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {
constexpr double kMostLead = 65536;
constexpr double kMostFrames = 1e12;
}  // namespace

absl::Status FrameWindow::Check(const v1::Setup& setup, bool whole) {
  absl::Status s = CheckRange(setup.lead_in(), 0, kMostLead, "setup.lead_in");
  if (s.ok()) s = CheckRange(setup.lead_out(), 0, kMostLead, "setup.lead_out");
  if (s.ok())
    s = CheckRange(static_cast<double>(setup.frame_count()), 0, kMostFrames,
                   "setup.frame_count");
  if (s.ok() && !whole && setup.lead_out() > 0 && setup.frame_count() == 0)
    s = FieldError("setup.frame_count", "is needed where setup.lead_out is set");
  return s;
}

absl::Status FrameWindow::Take(std::int64_t frames, bool whole) {
  taken_ += frames;
  if (whole && count_ == 0) {
    count_ = taken_ - lead_in_ - lead_out_;
    if (count_ <= 0)
      return FieldError("motion.root_positions",
                        absl::StrCat(taken_, " frames, but lead-in and lead-out take ",
                                     lead_in_ + lead_out_, ": none is left to answer"));
  }
  if (count_ > 0 && taken_ > lead_in_ + count_ + lead_out_)
    return FieldError("motion.root_positions",
                      absl::StrCat("more frames came than setup.frame_count, lead_in and "
                                   "lead_out announce (",
                                   lead_in_ + count_ + lead_out_, ")"));
  return absl::OkStatus();
}

absl::Status FrameWindow::Close() const {
  const std::int64_t announced = lead_in_ + count_ + lead_out_;
  if (count_ == 0 || taken_ == announced) return absl::OkStatus();
  return FieldError("setup.frame_count",
                    absl::StrCat(announced,
                                 " frames were announced (lead-in and lead-out "
                                 "included), ",
                                 taken_, " came"));
}

}  // namespace ikstream
