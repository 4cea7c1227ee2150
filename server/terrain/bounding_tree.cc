// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "terrain/bounding_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ikstream {
namespace {

constexpr int kLeafSize = 4;
constexpr int kBins = 16;
// From this depth on ranges are halved: at most 30 levels more.
constexpr int kSplitDepth = 48;
constexpr int kMaxDepth = kSplitDepth + 31;

constexpr float kInf = std::numeric_limits<float>::infinity();

std::array<float, 3> Components(Vec3f v) { return {v.x, v.y, v.z}; }

}  // namespace

struct BoundingTree::Builder {
  struct Bin {
    Box box{{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
    int count = 0;
  };
  struct Split {
    int axis = -1;
    int bin = 0;  // triangles in bins <= bin go left
    double cost = std::numeric_limits<double>::infinity();
  };
  struct Range {
    int node, begin, end, depth;
  };

  static void Grow(Box& box, const Box& by) {
    for (int k = 0; k < 3; ++k) {
      box.lo[k] = std::min(box.lo[k], by.lo[k]);
      box.hi[k] = std::max(box.hi[k], by.hi[k]);
    }
  }
  static double HalfArea(const Box& box) {
    const double x = static_cast<double>(box.hi[0]) - box.lo[0];
    const double y = static_cast<double>(box.hi[1]) - box.lo[1];
    const double z = static_cast<double>(box.hi[2]) - box.lo[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
  }
  double Centre(int triangle, int axis) const {
    const Box& box = boxes[triangle];
    return (static_cast<double>(box.lo[axis]) + box.hi[axis]) / 2;
  }

  void Measure(const BoundingTree& tree) {
    boxes.resize(tree.triangles_.size());
    order.resize(tree.triangles_.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t t = 0; t < boxes.size(); ++t) {
      boxes[t] = Bin{}.box;
      for (int corner : tree.triangles_[t]) {
        const auto p = Components(tree.vertices_[corner]);
        Grow(boxes[t], Box{p, p});
      }
    }
  }

  // The cheapest of the kBins - 1 cuts along one axis; keeps `best` where it is cheaper.
  void TryAxis(const Range& range, int axis, double lo, double hi, Split& best) const {
    std::array<Bin, kBins> bins;
    for (int k = range.begin; k < range.end; ++k) {
      Bin& bin = bins[BinOf(Centre(order[k], axis), lo, hi)];
      Grow(bin.box, boxes[order[k]]);
      ++bin.count;
    }
    std::array<double, kBins> right_cost{};
    Bin right;
    for (int k = kBins - 1; k > 0; --k) {
      Grow(right.box, bins[k].box);
      right.count += bins[k].count;
      right_cost[k - 1] = right.count * HalfArea(right.box);
    }
    Bin left;
    for (int k = 0; k + 1 < kBins; ++k) {
      Grow(left.box, bins[k].box);
      left.count += bins[k].count;
      const double cost = left.count * HalfArea(left.box) + right_cost[k];
      if (left.count > 0 && left.count < range.end - range.begin && cost < best.cost)
        best = {axis, k, cost};
    }
  }

  static int BinOf(double centre, double lo, double hi) {
    return std::min(kBins - 1, static_cast<int>((centre - lo) / (hi - lo) * kBins));
  }

  // The first triangle of the right half.
  int Partition(const Range& range) {
    const int middle = range.begin + (range.end - range.begin) / 2;
    if (range.depth >= kSplitDepth) return middle;
    std::array<double, 3> lo, hi;
    Split best;
    for (int axis = 0; axis < 3; ++axis) {
      lo[axis] = hi[axis] = Centre(order[range.begin], axis);
      for (int k = range.begin + 1; k < range.end; ++k) {
        lo[axis] = std::min(lo[axis], Centre(order[k], axis));
        hi[axis] = std::max(hi[axis], Centre(order[k], axis));
      }
      if (hi[axis] > lo[axis]) TryAxis(range, axis, lo[axis], hi[axis], best);
    }
    if (best.axis < 0) return middle;
    const auto goes_left = [&](int t) {
      return BinOf(Centre(t, best.axis), lo[best.axis], hi[best.axis]) <= best.bin;
    };
    return static_cast<int>(std::stable_partition(order.begin() + range.begin,
                                                  order.begin() + range.end, goes_left) -
                            order.begin());
  }

  std::vector<Box> boxes;  // by triangle
  std::vector<int> order;  // triangles by leaf
};

void BoundingTree::Build(std::vector<Vec3f> vertices,
                         std::vector<std::array<std::int32_t, 3>> triangles) {
  vertices_ = std::move(vertices);
  triangles_ = std::move(triangles);
  nodes_.clear();
  depth_ = 0;
  if (triangles_.empty()) return;
  Builder builder;
  builder.Measure(*this);
  nodes_.reserve(triangles_.size());
  nodes_.emplace_back();
  std::vector<Builder::Range> todo{{0, 0, static_cast<int>(triangles_.size()), 1}};
  while (!todo.empty()) {
    const Builder::Range range = todo.back();
    todo.pop_back();
    depth_ = std::max(depth_, range.depth);
    Box box = builder.boxes[builder.order[range.begin]];
    for (int k = range.begin; k < range.end; ++k)
      Builder::Grow(box, builder.boxes[builder.order[k]]);
    if (range.end - range.begin <= kLeafSize) {
      nodes_[range.node] = {box, range.begin, range.end - range.begin};
      continue;
    }
    const int middle = builder.Partition(range);
    const int child = static_cast<int>(nodes_.size());
    nodes_[range.node] = {box, child, 0};
    nodes_.resize(nodes_.size() + 2);
    todo.push_back({child, range.begin, middle, range.depth + 1});
    todo.push_back({child + 1, middle, range.end, range.depth + 1});
  }
  std::vector<std::array<std::int32_t, 3>> sorted(triangles_.size());
  for (size_t k = 0; k < sorted.size(); ++k) sorted[k] = triangles_[builder.order[k]];
  triangles_ = std::move(sorted);
}

// Slabs, widened so that rounding never loses a box that holds a hit.
struct BoundingTree::BoxRay {
  explicit BoxRay(const Ray& ray)
      : origin(Components(ray.origin)), direction(Components(ray.direction)) {
    double size = ray.length;
    for (int k = 0; k < 3; ++k) {
      inverse[k] = 1 / direction[k];
      size = std::max(size, std::abs(origin[k]));
    }
    pad = 1e-12 * size;
  }

  // Where the ray enters the box, or infinity where it does not before `limit`.
  double Enter(const Box& box, double limit) const {
    double near = 0, far = limit;
    for (int k = 0; k < 3; ++k) {
      const double lo = box.lo[k] - pad - origin[k], hi = box.hi[k] + pad - origin[k];
      if (std::abs(direction[k]) < 1e-30) {
        if (lo > 0 || hi < 0) return std::numeric_limits<double>::infinity();
        continue;
      }
      const double a = lo * inverse[k], b = hi * inverse[k];
      near = std::max(near, std::min(a, b));
      far = std::min(far, std::max(a, b));
    }
    return near <= far + pad ? near : std::numeric_limits<double>::infinity();
  }

  std::array<double, 3> origin, direction, inverse;
  double pad;
};

std::array<Vec3d, 3> BoundingTree::Corners(int triangle) const {
  const auto& t = triangles_[triangle];
  return {Cast<double>(vertices_[t[0]]), Cast<double>(vertices_[t[1]]),
          Cast<double>(vertices_[t[2]])};
}

std::optional<RayHit> BoundingTree::FirstHit(const Ray& ray) const {
  if (nodes_.empty()) return std::nullopt;
  const BoxRay boxes(ray);
  const TriangleRay tester(ray);
  double best = ray.length;
  int found = -1;
  // Each level leaves one sibling behind.
  std::array<std::pair<int, double>, kMaxDepth + 1> stack;
  int top = 0;
  stack[top++] = {0, boxes.Enter(nodes_[0].box, best)};
  while (top > 0) {
    const auto [index, enter] = stack[--top];
    if (enter > best) continue;
    const Node& node = nodes_[index];
    for (int t = node.first; t < node.first + node.count; ++t) {
      const auto [a, b, c] = Corners(t);
      const auto distance = tester.Hit(a, b, c);
      if (!distance || *distance > best || (found >= 0 && *distance == best)) continue;
      best = *distance;
      found = t;
    }
    if (node.count > 0) continue;
    std::pair<int, double> first{node.first, boxes.Enter(nodes_[node.first].box, best)};
    std::pair<int, double> second{node.first + 1,
                                  boxes.Enter(nodes_[node.first + 1].box, best)};
    if (first.second > second.second) std::swap(first, second);
    if (second.second <= best) stack[top++] = second;
    if (first.second <= best) stack[top++] = first;
  }
  if (found < 0) return std::nullopt;
  const auto [a, b, c] = Corners(found);
  return RayHit{best, NormalizedOr(Cross(b - a, c - a), -ray.direction)};
}

}  // namespace ikstream
