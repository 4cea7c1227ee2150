// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Which frames of a call are answered: those between the lead-in and the lead-out, counted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream {

class FrameWindow {
 public:
  // Checks frame_count, lead_in and lead_out of a setup; field paths start at `setup`.
  // `whole`: all frames come in one message, so the count need not be told.
  static absl::Status Check(const v1::Setup& setup, bool whole);

  explicit FrameWindow(const v1::Setup& setup)
      : lead_in_(setup.lead_in()), lead_out_(setup.lead_out()), count_(setup.frame_count()) {}

  // `frames` more came. `whole`: these are all.
  absl::Status Take(std::int64_t frames, bool whole);
  // No more will come: an error where fewer came than were announced.
  absl::Status Close() const;

  std::int64_t taken() const { return taken_; }
  // The index among answered frames of frame number `taken` of the call; negative in the
  // lead-in.
  std::int64_t Answered(std::int64_t index) const { return index - lead_in_; }
  // Whether frame number `index` of the call (lead-in included) is answered.
  bool Answers(std::int64_t index) const {
    return index >= lead_in_ && (count_ == 0 || index < lead_in_ + count_);
  }
  // The part of [begin, end) that is answered, as [first, second).
  std::pair<std::int64_t, std::int64_t> Clip(std::int64_t begin, std::int64_t end) const {
    const std::int64_t last = count_ == 0 ? end : std::min(end, lead_in_ + count_);
    const std::int64_t first = std::min(std::max(begin, lead_in_), last);
    return {first, std::max(first, last)};
  }
  // Frames to be answered; 0 where not known yet.
  std::int64_t count() const { return count_; }
  std::int64_t lead_in() const { return lead_in_; }
  std::int64_t lead_out() const { return lead_out_; }

 private:
  std::int64_t lead_in_;
  std::int64_t lead_out_;
  std::int64_t count_;
  std::int64_t taken_ = 0;
};

}  // namespace ikstream
