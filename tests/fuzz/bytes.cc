// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "fuzz/bytes.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ikstream::fuzz {
namespace {

constexpr float kNumbers[] = {0.0f,
                              -0.0f,
                              1.0f,
                              -1.0f,
                              0.5f,
                              2.0f,
                              1e-3f,
                              1e-7f,
                              1e-20f,
                              1e-38f,
                              1e-45f,
                              1e4f,
                              1e9f,
                              -1e9f,
                              1e20f,
                              3e38f,
                              -3e38f,
                              3.1415927f,
                              -3.1415927f,
                              6.2831855f,
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};

}  // namespace

float Bytes::Any() {
  const int kind = U8();
  if (kind < 160) return Share();
  if (kind < 176) return std::bit_cast<float>(U16() | std::uint32_t{U16()} << 16);
  if (kind < 216) return Uniform(-10, 10);
  return kNumbers[kind % std::size(kNumbers)];
}

Quatf Bytes::Turn() {
  const int kind = Range(0, 3);
  if (kind == 0) return {};
  Quatf q;
  if (kind == 3) {
    q.x = Uniform(-1, 1), q.y = Uniform(-1, 1), q.z = Uniform(-1, 1), q.w = Uniform(-1, 1);
  } else {
    q.x = Share(), q.y = Share(), q.z = Share(), q.w = Share();
  }
  if (Dot(q, q) < 1e-6f) return {0, 0, 0, -1};
  return Normalized(q);
}

std::string Bytes::Text(int most) {
  const size_t size = std::min<size_t>(static_cast<size_t>(Range(0, most)), Rest().size());
  const auto text = Rest().first(size);
  at_ += size;
  return {text.begin(), text.end()};
}

}  // namespace ikstream::fuzz
