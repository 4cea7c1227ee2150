// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Joints that several chains turn: which of them gives way, and which is moved by others after
// it has been solved.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/chain_build.h"
#include "core/field_error.h"
#include "core/rig.h"

namespace ikstream {
// Where upper joints of a chain are driven by chains of lower numbers, it starts below them.
// `lowest`: the lowest number by which each joint is driven.
absl::Status Rig::GiveWay(size_t chain, const std::vector<int>& lowest) {
  const ChainSpec& spec = chains_[chain].spec;
  const std::vector<int>& turned = chains_[chain].turned;
  const auto is_taken = [&](int joint) { return lowest[joint] < spec.priority; };
  const auto first = std::find_if_not(turned.begin(), turned.end(), is_taken);
  const auto again = std::find_if(first, turned.end(), is_taken);
  if (again != turned.end())
    return FieldError(
        "priority", absl::StrCat("joint ", *again, " is driven by a chain of a lower number, ",
                                 "but joint ", *first,
                                 " above it is not: solve this chain before that one"));
  const auto taken = static_cast<size_t>(first - turned.begin());
  if (taken == 0) return absl::OkStatus();
  if (taken >= chains_[chain].driven.size())
    return FieldError("priority",
                      "leaves the chain no joint: chains of lower numbers drive all of them");
  ChainSpec below = spec;
  below.root_joint = turned[taken];
  auto built = BuildChain(*this, std::move(below));
  if (!built.ok()) return built.status();
  chains_[chain] = *std::move(built);
  return absl::OkStatus();
}

// A group does not give way: it is solved in the place of its first chain.
absl::Status Rig::ShareJoints() {
  std::vector<int> lowest(skeleton_.size(), std::numeric_limits<int>::max());
  std::vector<int> places(groups_.size(), std::numeric_limits<int>::max());
  for (int i : solve_order_) {
    const int group = chains_[i].group;
    if (group < 0)
      if (auto s = GiveWay(static_cast<size_t>(i), lowest); !s.ok())
        return Under(absl::StrCat("chains[", i, "]"), s);
    const Chain& chain = chains_[i];
    int place = chain.spec.priority;
    if (group >= 0) place = places[group] = std::min(places[group], place);
    for (int joint : chain.spec.keep_end_rotation ? chain.turned : chain.driven)
      lowest[joint] = std::min(lowest[joint], place);
  }
  return absl::OkStatus();
}

// From what is solved last to what is solved first.
void Rig::FindMovedLater() {
  std::vector<std::vector<int>> steps;  // chains that are solved together
  size_t groups = 0;                    // they stand in the order of their first chains
  for (int i : solve_order_) {
    if (chains_[i].group < 0) steps.push_back({i});
    if (chains_[i].group != static_cast<int>(groups)) continue;
    std::vector<int>& together = steps.emplace_back();
    for (const BodyEffector& effector : groups_[groups++].effectors)
      together.push_back(effector.chain);
  }
  std::vector<bool> moved(skeleton_.size());
  const auto any = [&](const std::vector<int>& joints) {
    return std::any_of(joints.begin(), joints.end(), [&](int joint) { return moved[joint]; });
  };
  bool root_moved = false;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (int i : *step) {
      Chain& chain = chains_[i];
      chain.moved_later = root_moved || any(chain.prefix) || any(chain.turned) ||
                          any(chain.collider_places.joints);
    }
    for (int i : *step)
      for (int joint : chains_[i].turned) moved[joint] = true;
    const int group = chains_[step->front()].group;
    root_moved = root_moved || (group >= 0 && groups_[group].moves_root);
  }
}

}  // namespace ikstream
