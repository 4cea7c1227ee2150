// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The last frames of a stream, by absolute index: bounded memory for windows that look ahead
// and back. Not thread-safe.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ikstream {

template <class T>
class FrameRing {
 public:
  // Holds at least the last `frames` frames.
  explicit FrameRing(std::int64_t frames)
      : slots_(std::bit_ceil(static_cast<std::uint64_t>(frames))),
        mask_(static_cast<std::int64_t>(slots_.size()) - 1) {}

  // REQUIRES: the index is among the last frames written.
  T& operator[](std::int64_t frame) { return slots_[static_cast<size_t>(frame & mask_)]; }
  const T& operator[](std::int64_t frame) const {
    return slots_[static_cast<size_t>(frame & mask_)];
  }

 private:
  std::vector<T> slots_;
  std::int64_t mask_;
};

}  // namespace ikstream
