// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Reads small numbers from a fuzzer's bytes: every input means something, and a changed byte
// changes one thing. Past the end everything is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/math.h"

namespace ikstream::fuzz {

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> data) : data_(data) {}

  bool empty() const { return at_ >= data_.size(); }
  std::uint8_t U8() { return empty() ? std::uint8_t{0} : data_[at_++]; }
  std::uint16_t U16() {
    const unsigned low = U8();
    return static_cast<std::uint16_t>(low | unsigned{U8()} << 8);
  }
  bool Coin() { return (U8() & 1) != 0; }
  // True once in `n`, where bytes are random; false past the end.
  bool Rarely(int n) { return U8() % n == n - 1; }
  // low..high, both included; low past the end.
  int Range(int low, int high) { return low + U8() % (high - low + 1); }
  // -1..1 in steps of 1/32; both ends and 0 occur.
  float Share() { return static_cast<float>(static_cast<std::int8_t>(U8()) / 4) / 31.0f; }
  // low..high in 65,536 steps.
  float Uniform(float low, float high) {
    return low + (high - low) * static_cast<float>(U16()) / 65535.0f;
  }
  // A number of any size, now and then one that is no number.
  float Any();
  Vec3f Vector() {
    const float x = Share(), y = Share();
    return {x, y, Share()};
  }
  // A unit quaternion: identity, a coarse turn, or a fine one; either sign.
  Quatf Turn();
  // At most `most` bytes as text.
  std::string Text(int most);
  std::span<const std::uint8_t> Rest() const { return data_.subspan(at_); }

 private:
  std::span<const std::uint8_t> data_;
  size_t at_ = 0;
};

}  // namespace ikstream::fuzz
