// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/plain_solvers.h"

#include <Eigen/Dense>
#include <algorithm>

namespace ikstream {
namespace {

Vec3d Unit(Vec3d v) { return v / Length(v); }

// The turn by the shortest arc between unit directions that are not opposite.
Quatd Arc(Vec3d from, Vec3d to) {
  const Vec3d c = Cross(from, to);
  return Normalized(Quatd{c.x, c.y, c.z, 1 + Dot(from, to)});
}

std::vector<double> LengthsOf(const Positions& p) {
  std::vector<double> lengths;
  for (size_t k = 1; k < p.size(); ++k) lengths.push_back(Length(p[k] - p[k - 1]));
  return lengths;
}

}  // namespace

Positions PlainTwoBone(const Positions& p, Vec3d target) {
  const std::vector<double> length = LengthsOf(p);
  const Vec3d was = Unit(p[2] - p[0]), line = Unit(target - p[0]);
  const double reach =
      std::clamp(Length(target - p[0]), std::abs(length[0] - length[1]), length[0] + length[1]);
  const Vec3d side = p[1] - p[0] - was * Dot(p[1] - p[0], was);
  const Vec3d turned = Unit(Rotate(Arc(was, line), side));
  const double cosine =
      (length[0] * length[0] + reach * reach - length[1] * length[1]) / (2 * length[0] * reach);
  const double along = length[0] * std::clamp(cosine, -1.0, 1.0);
  const double off = std::sqrt(std::max(0.0, length[0] * length[0] - along * along));
  return {p[0], p[0] + line * along + turned * off, p[0] + line * reach};
}

Positions PlainFabrik(const Positions& p, Vec3d target) {
  const std::vector<double> length = LengthsOf(p);
  Positions q = p;
  q.back() = target;
  for (size_t k = q.size() - 1; k-- > 0;) q[k] = q[k + 1] + Unit(q[k] - q[k + 1]) * length[k];
  q[0] = p[0];
  for (size_t k = 0; k + 1 < q.size(); ++k) q[k + 1] = q[k] + Unit(q[k + 1] - q[k]) * length[k];
  return q;
}

Positions PlainCcd(const Positions& p, Vec3d target) {
  Positions q = p;
  for (size_t k = q.size() - 1; k-- > 0;) {
    const Quatd turn = Arc(Unit(q.back() - q[k]), Unit(target - q[k]));
    const Vec3d joint = q[k];
    for (size_t i = k + 1; i < q.size(); ++i) q[i] = joint + Rotate(turn, q[i] - joint);
  }
  return q;
}

Positions PlainLeastSquares(const Positions& p, Vec3d target, double damping, double longest) {
  const auto joints = static_cast<Eigen::Index>(p.size()) - 1;
  Eigen::Matrix3Xd jacobian(3, 3 * joints);
  Eigen::VectorXd ease(3 * joints);
  for (Eigen::Index k = 0; k < joints; ++k) {
    const Vec3d r = p.back() - p[static_cast<size_t>(k)];
    // Turns about the three axes move the end by axis x r.
    jacobian.middleCols(3 * k, 3) << 0, r.z, -r.y, -r.z, 0, r.x, r.y, -r.x, 0;
    ease.segment(3 * k, 3).setConstant(1 / static_cast<double>(joints - k));
  }
  Vec3d error = target - p.back();
  if (Length(error) > longest) error = Unit(error) * longest;
  Eigen::Matrix3d normal = jacobian * ease.asDiagonal() * jacobian.transpose();
  normal += damping * normal.trace() * Eigen::Matrix3d::Identity();
  const Eigen::Vector3d force = normal.ldlt().solve(Eigen::Vector3d(error.x, error.y, error.z));
  const Eigen::VectorXd turns = ease.asDiagonal() * jacobian.transpose() * force;
  Positions q = p;
  Vec3d sum{};
  for (Eigen::Index k = 0; k < joints; ++k) {
    sum += Vec3d{turns[3 * k], turns[3 * k + 1], turns[3 * k + 2]};
    const auto i = static_cast<size_t>(k);
    const Quatd turn = Normalized(Quatd{sum.x / 2, sum.y / 2, sum.z / 2, 1});
    q[i + 1] = q[i] + Rotate(turn, p[i + 1] - p[i]);
  }
  return q;
}

}  // namespace ikstream
