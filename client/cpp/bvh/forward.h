// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Forward kinematics of BVH rows in double precision. Internal to the decisions that look
// at a clip (clip.h, facts.h).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cpp/bvh/bvh.h"
#include "cpp/bvh/clip.h"

namespace ikstream::bvh {

using Vector3 = std::array<double, 3>;

// Positions of all joints in model space, the root at the position that the row gives it.
std::vector<Vector3> ModelPositions(const Header& header, const ClipLayout& layout,
                                    std::span<const double> row);

// The same with every rotation 0 and every position its OFFSET.
std::vector<Vector3> RestPositions(const Header& header);

// REQUIRES: not empty.
double Median(std::vector<double> values);

}  // namespace ikstream::bvh
