// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/plan_parts.h"

#include <algorithm>

namespace ikstream::client {
namespace {

// Well below 1 MiB, so that one more interval never exceeds it.
constexpr std::size_t kPartBytes = 512 << 10;
constexpr int kKnotsPerPart = static_cast<int>(kPartBytes / sizeof(float));

void SplitKnots(const v1::Floor& floor, std::vector<v1::PlanPart>& parts) {
  for (int begin = 0; begin < floor.knots_size(); begin += kKnotsPerPart) {
    const int end = std::min(begin + kKnotsPerPart, floor.knots_size());
    parts.emplace_back().mutable_floor_knots()->Add(floor.knots().begin() + begin,
                                                    floor.knots().begin() + end);
  }
}

void SplitIntervals(const v1::FootPlan& foot, int index, std::vector<v1::PlanPart>& parts) {
  std::size_t room = 0;
  v1::FootContacts* contacts = nullptr;
  for (const v1::ContactInterval& interval : foot.intervals()) {
    const std::size_t bytes = interval.ByteSizeLong() + 8;
    if (bytes > room) {
      contacts = parts.emplace_back().add_intervals();
      contacts->set_foot(index);
      room = kPartBytes;
    }
    *contacts->add_intervals() = interval;
    room -= std::min(room, bytes);
  }
}

}  // namespace

std::vector<v1::PlanPart> SplitPlan(const v1::Plan& plan) {
  std::vector<v1::PlanPart> parts(1);
  v1::Plan& head = *parts[0].mutable_head();
  head = plan;
  if (head.has_floor()) head.mutable_floor()->clear_knots();
  for (v1::FootPlan& foot : *head.mutable_feet()) foot.clear_intervals();
  SplitKnots(plan.floor(), parts);
  for (int i = 0; i < plan.feet_size(); ++i) SplitIntervals(plan.feet(i), i, parts);
  parts.back().set_last(true);
  return parts;
}

bool JoinPlan(const v1::PlanPart& part, v1::Plan& plan) {
  if (part.has_head()) plan = part.head();
  for (const v1::FootContacts& contacts : part.intervals()) {
    if (contacts.foot() < 0 || contacts.foot() >= plan.feet_size()) return false;
    plan.mutable_feet(contacts.foot())->mutable_intervals()->MergeFrom(contacts.intervals());
  }
  if (part.floor_knots_size() > 0) {
    plan.mutable_floor()->mutable_knots()->MergeFrom(part.floor_knots());
  }
  return true;
}

}  // namespace ikstream::client
