// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/height_field.h"

#include <algorithm>
#include <utility>

namespace ikstream {
namespace {

// A ray this near to a cell's border, as a share of the cell, is tested against both sides.
// Far above rounding, so that no ray slips through between cells.
constexpr double kBorder = 1e-6;

// Narrows [begin, end] to where lo <= start + t * step <= hi. False: nowhere.
bool ClipAxis(double start, double step, double lo, double hi, double& begin, double& end) {
  if (std::abs(step) < 1e-30) return lo <= start && start <= hi;
  const double a = (lo - start) / step, b = (hi - start) / step;
  begin = std::max(begin, std::min(a, b));
  end = std::min(end, std::max(a, b));
  return begin <= end;
}

std::pair<int, int> CellRange(double a, double b, int cells) {
  const double lo = std::floor(std::min(a, b) - kBorder);
  const double hi = std::floor(std::max(a, b) + kBorder);
  const double last = cells - 1;
  return {static_cast<int>(std::clamp(lo, 0.0, last)),
          static_cast<int>(std::clamp(hi, 0.0, last))};
}

}  // namespace

HeightField::HeightField(HeightFieldSpec spec, UpAxis up) : spec_(std::move(spec)), up_(up) {
  const auto [lo, hi] = std::minmax_element(spec_.heights.begin(), spec_.heights.end());
  const double base = up_ == UpAxis::kY ? spec_.origin.y : spec_.origin.z;
  lowest_ = base + *lo;
  highest_ = base + *hi;
}

Vec3d HeightField::Vertex(int i, int j) const {
  const Vec3d origin = Cast<double>(spec_.origin);
  const double u = static_cast<double>(spec_.cell_i) * i;
  const double v = static_cast<double>(spec_.cell_j) * j;
  const double h = spec_.heights[static_cast<size_t>(i) * spec_.count_j + j];
  return origin + (up_ == UpAxis::kY ? Vec3d{u, h, v} : Vec3d{u, v, h});
}

std::optional<HeightField::GridRay> HeightField::Clip(const Ray& ray) const {
  const Vec3d from = ray.origin - Cast<double>(spec_.origin), d = ray.direction;
  const double ci = spec_.cell_i, cj = spec_.cell_j;
  GridRay grid = up_ == UpAxis::kY
                     ? GridRay{from.x / ci, from.z / cj, ray.origin.y, d.x / ci, d.z / cj,
                               d.y,         0,           ray.length}
                     : GridRay{from.x / ci, from.y / cj, ray.origin.z, d.x / ci, d.y / cj,
                               d.z,         0,           ray.length};
  // Rounding must not cut off the top of a hill.
  const double slack = 1e-9 * (1 + std::abs(highest_) + std::abs(lowest_) + std::abs(grid.h));
  if (!ClipAxis(grid.i, grid.di, -kBorder, spec_.count_i - 1 + kBorder, grid.begin, grid.end) ||
      !ClipAxis(grid.j, grid.dj, -kBorder, spec_.count_j - 1 + kBorder, grid.begin, grid.end) ||
      !ClipAxis(grid.h, grid.dh, lowest_ - slack, highest_ + slack, grid.begin, grid.end))
    return std::nullopt;
  return grid;
}

void HeightField::HitCell(const TriangleRay& tester, int i, int j, RayHit& best) const {
  const size_t cell = static_cast<size_t>(i) * (spec_.count_j - 1) + j;
  if (!spec_.holes.empty() && spec_.holes[cell]) return;
  const Vec3d a = Vertex(i, j), b = Vertex(i + 1, j), c = Vertex(i + 1, j + 1),
              d = Vertex(i, j + 1);
  const auto try_triangle = [&](Vec3d p, Vec3d q, Vec3d r) {
    // X x Z points down where Y is up: the other way round.
    if (up_ == UpAxis::kY) std::swap(q, r);
    const auto distance = tester.Hit(p, q, r);
    if (distance && *distance < best.distance)
      best = {*distance, NormalizedOr(Cross(q - p, r - p), UpVector(up_))};
  };
  try_triangle(a, b, c);
  try_triangle(a, c, d);
}

void HeightField::HitStrip(const TriangleRay& tester, const GridRay& grid, int i,
                           RayHit& best) const {
  double begin = grid.begin, end = grid.end;
  if (!ClipAxis(grid.i, grid.di, i - kBorder, i + 1 + kBorder, begin, end)) return;
  const auto [first, last] =
      CellRange(grid.j + begin * grid.dj, grid.j + end * grid.dj, spec_.count_j - 1);
  for (int j = first; j <= last; ++j) HitCell(tester, i, j, best);
}

std::optional<RayHit> HeightField::FirstHit(const Ray& ray) const {
  const auto grid = Clip(ray);
  if (!grid) return std::nullopt;
  const TriangleRay tester(ray);
  RayHit best;
  const auto [first, last] = CellRange(grid->i + grid->begin * grid->di,
                                       grid->i + grid->end * grid->di, spec_.count_i - 1);
  for (int i = first; i <= last; ++i) HitStrip(tester, *grid, i, best);
  if (best.distance > ray.length) return std::nullopt;
  return best;
}

}  // namespace ikstream
