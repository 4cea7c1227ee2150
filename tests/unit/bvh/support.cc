// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/bvh/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cpp/bvh/write.h"

namespace ikstream::bvh {
namespace {

std::size_t Index(int i) { return static_cast<std::size_t>(i); }

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix c = {};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

Matrix AboutAxis(int axis, double degrees) {
  const double s = std::sin(degrees * std::numbers::pi / 180);
  const double c = std::cos(degrees * std::numbers::pi / 180);
  if (axis == 0) return {{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
  if (axis == 1) return {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

Joint RandomJoint(Random& random, int index) {
  Joint joint;
  joint.name = "joint " + std::to_string(index);
  std::array<Channel, 6> channels;
  for (std::size_t i = 0; i < 6; ++i) channels[i] = static_cast<Channel>(i);
  std::shuffle(channels.begin(), channels.end(), random);
  if (index == 0) {
    joint.channels.assign(channels.begin(), channels.end());
  } else {
    joint.channels.assign(channels.begin(), channels.begin() + Pick(random, 0, 6));
  }
  for (double& component : joint.offset) component = Uniform(random, -10, 10);
  if (Pick(random, 0, 3) == 0) joint.end_site = {1, Uniform(random, -1, 1), 0};
  return joint;
}

}  // namespace

Matrix MatrixFromEuler(const RotationAxes& axes, const Angles& degrees) {
  Matrix matrix = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int i = 0; i < axes.count; ++i) {
    matrix = Product(matrix, AboutAxis(axes.axes[Index(i)], degrees[Index(i)]));
  }
  return matrix;
}

Matrix MatrixFromQuaternion(const Quaternion& q) {
  const auto [x, y, z, w] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

double Difference(const Matrix& a, const Matrix& b) {
  double most = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) most = std::max(most, std::abs(a[i][j] - b[i][j]));
  }
  return most;
}

double AngleBetween(const Matrix& a, const Matrix& b) {
  // |A - B| (Frobenius) is 2 sqrt(2) sin(angle / 2), which is exact for small angles too.
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) sum += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
  }
  return 2 * std::asin(std::min(1.0, std::sqrt(sum / 8)));
}

std::vector<RotationAxes> AllAxes() {
  std::vector<RotationAxes> all;
  for (int a = 0; a < 3; ++a) {
    all.push_back({1, {a, 0, 0}});
    for (int b = 0; b < 3; ++b) {
      if (a == b) continue;
      all.push_back({2, {a, b, 0}});
      all.push_back({3, {a, b, 3 - a - b}});
    }
  }
  return all;
}

std::string AxesName(const RotationAxes& axes) {
  std::string name;
  for (int i = 0; i < axes.count; ++i) name += "XYZ"[axes.axes[Index(i)]];
  return name;
}

double Uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

int Pick(Random& random, int from, int to) {
  return std::uniform_int_distribution<int>(from, to)(random);
}

Quaternion RandomRotation(Random& random) {
  std::normal_distribution<double> normal;
  Quaternion q;
  double sum = 0;
  for (double& component : q) {
    component = normal(random);
    sum += component * component;
  }
  for (double& component : q) component /= std::sqrt(sum);
  return q;
}

Header RandomHeader(Random& random, int joints) {
  Header header;
  header.frame_time = Uniform(random, 0.001, 0.1);
  std::vector<int> open;
  for (int i = 0; i < joints; ++i) {
    Joint joint = RandomJoint(random, i);
    if (i > 0) open.resize(Index(Pick(random, 1, static_cast<int>(open.size()))));
    joint.parent = open.empty() ? -1 : open.back();
    joint.depth = static_cast<int>(open.size());
    joint.first_channel = header.channel_count;
    header.channel_count += static_cast<int>(joint.channels.size());
    header.joints.push_back(std::move(joint));
    open.push_back(i);
  }
  return header;
}

Rows RandomRows(Random& random, const Header& header, int frames) {
  Rows rows;
  rows.Clear(0, header.channel_count);
  rows.starts.assign(Index(frames), 0);
  for (int i = 0; i < frames * header.channel_count; ++i) {
    rows.values.push_back(Uniform(random, -400, 400));
  }
  return rows;
}

Document MustRead(std::string_view text, const ReadOptions& options) {
  absl::StatusOr<Document> document = Read(text, options);
  EXPECT_TRUE(document.ok()) << document.status();
  return document.ok() ? *std::move(document) : Document();
}

Document OneJoint(const RotationAxes& axes, const std::vector<Angles>& frames) {
  Header header;
  header.frame_time = 0.01;
  Joint joint;
  joint.name = "joint";
  Rows rows;
  rows.starts.assign(frames.size(), 0);
  for (int i = 0; i < axes.count; ++i) {
    joint.channels.push_back(static_cast<Channel>(3 + axes.axes[Index(i)]));
  }
  for (const Angles& angles : frames) {
    rows.values.insert(rows.values.end(), angles.begin(), angles.begin() + axes.count);
  }
  header.joints.push_back(joint);
  header.channel_count = rows.channel_count = axes.count;
  return MustRead(*Format(header, rows));
}

void AppendRotation(const RotationAxes& axes, const Angles& angles, std::vector<float>* out) {
  for (double component : FromEuler(axes, angles)) {
    out->push_back(static_cast<float>(component));
  }
}

}  // namespace ikstream::bvh
