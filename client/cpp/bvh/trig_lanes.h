// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// trig.h for whole rows at once, in the lanes of the CPU at hand. The bits are those of trig.h
// on any CPU: the same operations in the same order.
//
// Thread-safe.
#pragma once

#include <span>

namespace ikstream::bvh {

// REQUIRES: all spans have the same size; |degrees| < 2^51.
void SinesAndCosines(std::span<const double> degrees, std::span<double> sines,
                     std::span<double> cosines);

// The angles of (x, y), degrees. REQUIRES: all spans have the same size.
void AnglesOf(std::span<const double> y, std::span<const double> x, std::span<double> degrees);

// Sizes that are multiples of this leave no rest that is done one by one.
inline constexpr std::size_t kTrigBlock = 8;

}  // namespace ikstream::bvh
