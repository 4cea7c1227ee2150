// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/facts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cpp/bvh/forward.h"
#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

constexpr double kSameLength = 0.05;  // relative difference of a left and a right leg
constexpr double kDominant = 0.8;     // cosine that makes a direction one of the axes
constexpr double kFloorBand = 0.3;    // of the leg length

struct Legs {
  int top = 0;           // the joint that both hang from
  int ends[2] = {0, 0};  // the last joint of each
  double length = 0;     // thigh and shin
};

double Norm(const Vector3& v) { return std::hypot(v[0], v[1], v[2]); }

// The longest way down from each joint.
struct Descent {
  int next = -1;      // child on that way
  int joints = 1;     // on the way, this one included
  double length = 0;  // from this joint to the last
};

std::vector<Descent> LongestDescents(const Header& header) {
  std::vector<Descent> descents(header.joints.size());
  for (std::size_t i = header.joints.size() - 1; i > 0; --i) {
    Descent& parent = descents[static_cast<std::size_t>(header.joints[i].parent)];
    const double length = descents[i].length + Norm(header.joints[i].offset);
    if (length < parent.length) continue;
    parent = {static_cast<int>(i), descents[i].joints + 1, length};
  }
  return descents;
}

int LastJoint(const std::vector<Descent>& descents, int joint) {
  while (descents[static_cast<std::size_t>(joint)].next >= 0) {
    joint = descents[static_cast<std::size_t>(joint)].next;
  }
  return joint;
}

// The two longest bones on the way down from this joint.
double TwoLongestBones(const Header& header, const std::vector<Descent>& descents, int joint) {
  double first = 0;
  double second = 0;
  for (joint = descents[static_cast<std::size_t>(joint)].next; joint >= 0;
       joint = descents[static_cast<std::size_t>(joint)].next) {
    const double bone = Norm(header.joints[static_cast<std::size_t>(joint)].offset);
    second = std::max(second, std::min(first, bone));
    first = std::max(first, bone);
  }
  return first + second;
}

bool Alike(const Descent& longer, const Descent& shorter) {
  return longer.joints == shorter.joints && longer.joints >= 3 && shorter.length > 0;
}

// The longest pair of alike ways down among the children.
std::optional<Legs> PairUnder(const Header& header, const std::vector<Descent>& descents,
                              int top, std::vector<int> children) {
  const auto at = [&](int joint) -> const Descent& {
    return descents[static_cast<std::size_t>(joint)];
  };
  std::stable_sort(children.begin(), children.end(),
                   [&](int a, int b) { return at(a).length > at(b).length; });
  for (std::size_t i = 0; i < children.size(); ++i) {
    const double shortest = at(children[i]).length * (1 - kSameLength);
    for (std::size_t j = i + 1; j < children.size() && at(children[j]).length >= shortest;
         ++j) {
      if (!Alike(at(children[i]), at(children[j]))) continue;
      const double length = (TwoLongestBones(header, descents, children[i]) +
                             TwoLongestBones(header, descents, children[j])) /
                            2;
      return Legs{
          top, {LastJoint(descents, children[i]), LastJoint(descents, children[j])}, length};
    }
  }
  return std::nullopt;
}

std::optional<Legs> FindLegs(const Header& header) {
  const std::vector<Descent> descents = LongestDescents(header);
  std::vector<std::vector<int>> children(header.joints.size());
  std::vector<int> order(header.joints.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
    if (i > 0) children[static_cast<std::size_t>(header.joints[i].parent)].push_back(order[i]);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return header.joints[static_cast<std::size_t>(a)].depth <
           header.joints[static_cast<std::size_t>(b)].depth;
  });
  for (int joint : order) {
    auto legs = PairUnder(header, descents, joint, children[static_cast<std::size_t>(joint)]);
    if (legs) return legs;
  }
  return std::nullopt;
}

// From the middle of the feet to the top of the legs, unit length (or 0).
Vector3 LegDirection(const Legs& legs, const std::vector<Vector3>& positions) {
  const Vector3& top = positions[static_cast<std::size_t>(legs.top)];
  const Vector3& left = positions[static_cast<std::size_t>(legs.ends[0])];
  const Vector3& right = positions[static_cast<std::size_t>(legs.ends[1])];
  Vector3 up;
  for (std::size_t i = 0; i < 3; ++i) up[i] = top[i] - (left[i] + right[i]) / 2;
  const double norm = Norm(up);
  for (double& component : up) component = norm > 0 ? component / norm : 0;
  return up;
}

UpAxis AxisOfDirection(const Vector3& direction) {
  if (direction[1] >= kDominant) return UpAxis::kY;
  if (direction[2] >= kDominant) return UpAxis::kZ;
  return UpAxis::kUnclear;
}

double Lowest(const std::vector<Vector3>& positions, std::size_t axis) {
  double lowest = positions[0][axis];
  for (const Vector3& p : positions) lowest = std::min(lowest, p[axis]);
  return lowest;
}

// The sampled poses, and what is asked of them.
class Poses {
 public:
  Poses(const Header& header, const ClipLayout& layout, const Rows& sample) {
    for (std::int64_t i = 0; i < std::min(sample.count(), kSampleRows); ++i) {
      poses_.push_back(ModelPositions(header, layout, sample.row(i)));
    }
  }

  Vector3 MeanDirection(const Legs& legs) const {
    Vector3 sum = {};
    for (const auto& pose : poses_) {
      const Vector3 one = LegDirection(legs, pose);
      for (std::size_t i = 0; i < 3; ++i) sum[i] += one[i];
    }
    for (double& component : sum) component /= static_cast<double>(poses_.size());
    return sum;
  }

  double MedianLowest(std::size_t axis) const {
    std::vector<double> lowest;
    for (const auto& pose : poses_) lowest.push_back(Lowest(pose, axis));
    return Median(std::move(lowest));
  }

  double MedianHeight(int joint, std::size_t axis) const {
    std::vector<double> heights;
    for (const auto& pose : poses_) {
      heights.push_back(pose[static_cast<std::size_t>(joint)][axis] - Lowest(pose, axis));
    }
    return Median(std::move(heights));
  }

 private:
  std::vector<std::vector<Vector3>> poses_;
};

std::size_t AxisIndex(UpAxis up) { return up == UpAxis::kY ? 1 : 2; }

void DecideUp(const Legs& legs, const Poses& poses, UpAxis rest, RigFacts* facts) {
  const UpAxis animated = AxisOfDirection(poses.MeanDirection(legs));
  if (animated == UpAxis::kUnclear) {
    facts->why = "the legs point along neither -Y nor -Z in the first frames";
    return;
  }
  const std::string_view name = UpAxisName(animated);
  if (rest == animated || rest == UpAxis::kUnclear) {
    facts->up = animated;
    facts->why = Cat("the legs point away from ", name, " in the first frames",
                     rest == animated ? " and in the rest pose" : "");
    return;
  }
  const bool on_floor =
      std::abs(poses.MedianLowest(AxisIndex(animated))) <= kFloorBand * legs.length;
  if (on_floor) facts->up = animated;
  facts->why = Cat("the legs point away from ", name, " in the first frames, from ",
                   UpAxisName(rest), " in the rest pose; the lowest joint is ",
                   on_floor ? "" : "not ", "near 0 along the first");
}

}  // namespace

std::string_view UpAxisName(UpAxis up) {
  if (up == UpAxis::kUnclear) return "unclear";
  return up == UpAxis::kY ? "+Y" : "+Z";
}

RigFacts MeasureRig(const Header& header, const ClipLayout& layout, const Rows& sample) {
  RigFacts facts;
  const std::optional<Legs> legs = FindLegs(header);
  if (!legs || sample.count() == 0) {
    facts.why = "no pair of legs was found";
    return facts;
  }
  facts.leg_length = legs->length;
  const Poses poses(header, layout, sample);
  DecideUp(*legs, poses, AxisOfDirection(LegDirection(*legs, RestPositions(header))), &facts);
  if (facts.up != UpAxis::kUnclear) {
    facts.hip_height = poses.MedianHeight(legs->top, AxisIndex(facts.up));
  }
  return facts;
}

}  // namespace ikstream::bvh
