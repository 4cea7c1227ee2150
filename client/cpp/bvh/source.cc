// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

Source::~Source() {
  if (fd_ >= 0) close(fd_);
}

bool Source::Fill() {
  if (fd_ < 0 || !status_.ok()) return false;
  const std::size_t kept = window_.size();
  if (kept != 0) std::memmove(buffer_.data(), window_.data(), kept);
  if (buffer_.size() < kept + kChunk) buffer_.resize(std::max(2 * kept, kept + kChunk));
  ssize_t got = 0;
  do {
    got = read(fd_, buffer_.data() + kept, buffer_.size() - kept);
  } while (got < 0 && errno == EINTR);
  if (got < 0) status_ = absl::ErrnoToStatus(errno, Cat("cannot read ", name_));
  window_ = buffer_;
  window_ = window_.substr(0, kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

std::string_view Source::PeekLine(std::size_t limit) {
  std::size_t searched = 0;
  while (true) {
    const std::size_t end = window_.find('\n', searched);
    if (end != std::string_view::npos) return window_.substr(0, std::min(end, limit) + 1);
    searched = window_.size();
    if (searched > limit) return window_.substr(0, limit + 1);
    if (!Fill()) return window_;
  }
}

}  // namespace ikstream::bvh
