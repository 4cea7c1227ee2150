// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the BVH tests share: random documents, and a plain reference for rotations that has
// nothing in common with the code under test.
#pragma once

#include <array>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cpp/bvh/bvh.h"
#include "cpp/bvh/euler.h"
#include "cpp/bvh/read.h"

namespace ikstream::bvh {

using Matrix = std::array<std::array<double, 3>, 3>;

// The product of rotation matrices about the axes, in degrees.
Matrix MatrixFromEuler(const RotationAxes& axes, const Angles& degrees);
Matrix MatrixFromQuaternion(const Quaternion& q);
// The largest difference of two entries.
double Difference(const Matrix& a, const Matrix& b);
// The angle of the rotation that leads from a to b, radians.
double AngleBetween(const Matrix& a, const Matrix& b);

// All lists of 1, 2 or 3 different axes.
std::vector<RotationAxes> AllAxes();
std::string AxesName(const RotationAxes& axes);
// Names the parameter in lists of tests.
inline void PrintTo(const RotationAxes& axes, std::ostream* out) { *out << AxesName(axes); }

using Random = std::mt19937_64;
double Uniform(Random& random, double from, double to);
int Pick(Random& random, int from, int to);  // both included
Quaternion RandomRotation(Random& random);

// A tree of joints with any channels in any order, the root with all three positions.
Header RandomHeader(Random& random, int joints);
// Rows without text, for Format().
Rows RandomRows(Random& random, const Header& header, int frames);

// Reads text and fails the test where it cannot be read.
Document MustRead(std::string_view text, const ReadOptions& options = {});

// A file with one joint of three rotation channels in the order of the axes.
Document OneJoint(const RotationAxes& axes, const std::vector<Angles>& frames);

// Appends the float quaternion of these angles.
void AppendRotation(const RotationAxes& axes, const Angles& angles, std::vector<float>* out);

}  // namespace ikstream::bvh
