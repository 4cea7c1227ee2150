// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/plan_edit.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ikstream::cli {
namespace {

// True where something was changed.
bool TidyAnchors(v1::ContactInterval& interval) {
  auto& anchors = *interval.mutable_anchors();
  if (anchors.empty()) return false;
  bool changed = false;
  // The one that holds at the interval's begin is the last that begins by then.
  while (anchors.size() > 1 && anchors.Get(1).begin() <= interval.begin()) {
    anchors.erase(anchors.begin());
    changed = true;
  }
  while (anchors.size() > 1 && anchors.rbegin()->begin() >= interval.end()) {
    anchors.RemoveLast();
    changed = true;
  }
  if (anchors.Get(0).begin() == interval.begin()) return changed;
  anchors.Mutable(0)->set_begin(interval.begin());
  return true;
}

}  // namespace

std::vector<std::string> TidyPlan(v1::Plan& plan) {
  std::vector<std::string> notes;
  for (v1::FootPlan& foot : *plan.mutable_feet()) {
    auto& intervals = *foot.mutable_intervals();
    std::stable_sort(intervals.pointer_begin(), intervals.pointer_end(),
                     [](const auto* a, const auto* b) { return a->begin() < b->begin(); });
    for (v1::ContactInterval& interval : intervals)
      if (TidyAnchors(interval))
        notes.push_back(absl::StrCat("the plan's anchors of ", foot.foot().name(), " ",
                                     interval.begin(), ":", interval.end(),
                                     " were fitted to the interval"));
  }
  return notes;
}

}  // namespace ikstream::cli
