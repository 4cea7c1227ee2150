// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Text that is read forward through a window, from memory or from a file of any length.
//
// Not a mapping: a mapped file that another program cuts short would end the process, and
// mapped pages count as its memory. Internal to the reader; not thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace ikstream::bvh {

class Source {
 public:
  // Reads text, which must outlive the source.
  explicit Source(std::string_view text) : window_(text) {}
  // Reads an open file and closes it in the end. name is for messages.
  Source(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  // What is in memory and not yet consumed. Views into it end with the next Fill().
  std::string_view window() const { return window_; }

  // Lengthens the window from the file. False at its end, or where reading it failed.
  bool Fill();

  // The next line with its line end, empty at the end of the text. A line (and so memory)
  // is bounded: one longer than limit bytes is returned without its end.
  std::string_view PeekLine(std::size_t limit);

  // REQUIRES: bytes <= window().size().
  void Consume(std::size_t bytes) { window_.remove_prefix(bytes); }

  // Why Fill() failed; OK at the end of the file.
  const absl::Status& status() const { return status_; }

 private:
  int fd_ = -1;
  std::string name_;
  std::string buffer_;
  std::string_view window_;
  absl::Status status_;
};

}  // namespace ikstream::bvh
