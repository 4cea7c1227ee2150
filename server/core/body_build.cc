// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/body.h"
#include "core/body_build.h"
#include "core/field_error.h"
#include "core/rig.h"
#include "core/solver_list.h"

namespace ikstream {
namespace {

// The root moves as willingly as a joint turns a lever of this share of the body's size.
constexpr float kRootShare = 0.5f;
constexpr float kCloseness = 0.05f;  // where a chain gives none

bool IsBody(const Chain& chain) {
  return SolverEntries()[static_cast<size_t>(chain.solver)].kind == SolverKind::kBody;
}

absl::Status CheckMembership(const Chain& chain) {
  const ChainSpec& spec = chain.spec;
  if (IsBody(chain) && spec.group.empty())
    return FieldError("group", "is empty: solver \"body\" solves the chains of a group");
  if (!IsBody(chain) && !spec.group.empty())
    return FieldError("group", absl::StrCat("has no meaning with solver \"", spec.solver,
                                            "\": all chains of a group have solver \"body\""));
  return absl::OkStatus();
}

// Finds the group of that name, or begins it.
int GroupOf(const std::string& name, std::vector<BodyGroup>& groups) {
  for (size_t g = 0; g < groups.size(); ++g)
    if (groups[g].name == name) return static_cast<int>(g);
  groups.emplace_back().name = name;
  return static_cast<int>(groups.size()) - 1;
}

class Builder {
 public:
  Builder(const Rig& rig, BodyGroup& group) : rig_(rig), group_(group) {}

  void Build() {
    AddNodes();
    for (size_t e = 0; e < group_.effectors.size(); ++e) AddEffector(static_cast<int>(e));
    ScaleShares();
    for (size_t n = 0; n < group_.nodes.size(); ++n)
      if (group_.nodes[n].turns || group_.nodes[n].ends != 0)
        group_.turned.push_back(static_cast<int>(n));
    group_.size = std::max(group_.size, 1e-20f);
  }

 private:
  const Chain& ChainOf(const BodyEffector& effector) const {
    return rig_.chains()[static_cast<size_t>(effector.chain)];
  }

  void AddNodes() {
    const Skeleton& skeleton = rig_.skeleton();
    std::vector<bool> needed(skeleton.size());
    for (const BodyEffector& effector : group_.effectors)
      for (int j = ChainOf(effector).spec.end_joint; j >= 0; j = skeleton.joint(j).parent)
        needed[j] = true;
    node_of_.assign(skeleton.size(), -1);
    const auto slots = rig_.translated_joints();
    for (int j : skeleton.order()) {
      if (!needed[j]) continue;
      node_of_[j] = static_cast<int>(group_.nodes.size());
      BodyNode& node = group_.nodes.emplace_back();
      node.joint = j;
      const int parent = skeleton.joint(j).parent;
      node.parent = parent < 0 ? -1 : node_of_[parent];
      node.offset = skeleton.joint(j).offset;
      const auto slot = std::find(slots.begin(), slots.end(), j);
      if (slot != slots.end() && parent >= 0)
        node.slot = static_cast<int>(slot - slots.begin());
    }
  }

  void AddEffector(int e) {
    BodyEffector& effector = group_.effectors[e];
    const Chain& chain = ChainOf(effector);
    const std::uint32_t bit = 1u << e;
    effector.node = node_of_[chain.spec.end_joint];
    effector.root_node = node_of_[chain.spec.root_joint];
    effector.tip = chain.spec.tip_offset.value_or(Vec3f{});
    effector.weight = chain.spec.effector_weight;
    effector.priority = chain.spec.priority;
    effector.reach = chain.length;
    effector.fold = std::max(
        0.0f, 2 * *std::max_element(chain.lengths.begin(), chain.lengths.end()) - chain.length);
    float way = Length(effector.tip);
    for (int n = effector.node; n >= 0; n = group_.nodes[n].parent) {
      group_.nodes[n].above |= bit;
      if (group_.nodes[n].parent >= 0) way += Length(group_.nodes[n].offset);
    }
    group_.size = std::max(group_.size, way);
    for (size_t k = 0; k < chain.turned.size(); ++k) {
      BodyNode& node = group_.nodes[node_of_[chain.turned[k]]];
      const bool drives = k < chain.driven.size();
      // A limit's default axis is the bone's: that of the first chain that drives the joint.
      if (!node.turns && (drives || node.ends == 0)) node.bound = chain.bounds[k];
      if (drives) node.turns = true;
      if (!drives) node.ends |= bit;
      node.closeness = std::max(node.closeness, chain.spec.closeness.value_or(kCloseness));
    }
    group_.moves_root = group_.moves_root || chain.spec.root_joint == rig_.skeleton().root();
    group_.max_iterations = std::max(group_.max_iterations, chain.spec.max_iterations);
  }

  void ScaleShares() {
    float softest = 1e30f;
    for (const BodyNode& node : group_.nodes)
      if (node.turns) softest = std::min(softest, rig_.stiffness(node.joint));
    for (BodyNode& node : group_.nodes)
      node.share = std::min(1.0f, softest / rig_.stiffness(node.joint));
    group_.root_share = kRootShare * group_.nodes.front().share;
  }

  const Rig& rig_;
  BodyGroup& group_;
  std::vector<int> node_of_;
};

// A pole turns a whole limb, which must not carry other effectors.
absl::Status CheckPoles(const Rig& rig, const BodyGroup& group) {
  for (size_t e = 0; e < group.effectors.size(); ++e) {
    const BodyEffector& effector = group.effectors[e];
    const Chain& chain = rig.chains()[static_cast<size_t>(effector.chain)];
    if (chain.spec.pole.kind == PoleKind::kNone) continue;
    if (group.nodes[effector.root_node].above != 1u << e)
      return FieldError(absl::StrCat("chains[", effector.chain, "].pole.kind"),
                        "cannot be met: other chains of the group end below root_joint");
  }
  return absl::OkStatus();
}

// A value of a group that a chain sets: it is the first, or agrees.
template <class T>
absl::Status Join(absl::string_view field, const T& value, bool is_first, T& of_group) {
  if (is_first) of_group = value;
  if (value == of_group) return absl::OkStatus();
  return FieldError(field,
                    "differs from that of another chain of the group: what is solved "
                    "together has one, so set it in one chain, or alike");
}

absl::Status JoinTime(const ChainSpec& spec, BodyGroup& group) {
  absl::Status s;
  if (spec.solve_every > 1) {
    const bool first = group.solve_every == 1;
    s = Join("solve_every", spec.solve_every, first, group.solve_every);
    if (s.ok()) s = Join("between", spec.between, first, group.between);
  }
  const Temporal& time = spec.temporal;
  if (s.ok() && time.one_euro_min_cutoff > 0) {
    const bool first = group.one_euro_min_cutoff == 0;
    s = Join("temporal.one_euro_min_cutoff_hz", time.one_euro_min_cutoff, first,
             group.one_euro_min_cutoff);
    if (s.ok())
      s = Join("temporal.one_euro_beta_hz", time.one_euro_beta, first, group.one_euro_beta);
  }
  return s;
}

// One joint cannot be solved on some frames for one chain and on others for another.
absl::Status JoinTimes(const Rig& rig, BodyGroup& group) {
  for (const BodyEffector& effector : group.effectors)
    if (auto s = JoinTime(rig.chains()[effector.chain].spec, group); !s.ok())
      return Under(absl::StrCat("chains[", effector.chain, "]"), s);
  return absl::OkStatus();
}

}  // namespace

BodyGroup WithLast(const Rig& rig, const BodyGroup& group, std::uint32_t last,
                   std::vector<int>& order) {
  BodyGroup out;
  out.name = group.name;
  order.clear();
  for (const bool of_last : {false, true})
    for (size_t e = 0; e < group.effectors.size(); ++e)
      if ((((last >> e) & 1) != 0) == of_last) order.push_back(static_cast<int>(e));
  for (int e : order) out.effectors.emplace_back().chain = group.effectors[e].chain;
  Builder(rig, out).Build();
  const int lowest = group.effectors.back().priority;  // they stand by priority
  for (size_t i = 0; i < order.size(); ++i)
    if ((last >> order[i]) & 1) out.effectors[i].priority = lowest + 1;
  return out;
}

absl::StatusOr<std::vector<BodyGroup>> BuildGroups(const Rig& rig) {
  std::vector<BodyGroup> groups;
  for (int i : rig.solve_order()) {
    const Chain& chain = rig.chains()[static_cast<size_t>(i)];
    const std::string path = absl::StrCat("chains[", i, "]");
    if (auto s = CheckMembership(chain); !s.ok()) return Under(path, s);
    if (chain.spec.group.empty()) continue;
    BodyGroup& group = groups[GroupOf(chain.spec.group, groups)];
    if (group.effectors.size() == BodyGroup::kMaxEffectors)
      return FieldError(path + ".group", absl::StrCat("\"", group.name, "\" has more than ",
                                                      BodyGroup::kMaxEffectors, " chains"));
    group.effectors.emplace_back().chain = i;
  }
  for (BodyGroup& group : groups) {
    Builder(rig, group).Build();
    if (auto s = CheckPoles(rig, group); !s.ok()) return s;
    if (auto s = JoinTimes(rig, group); !s.ok()) return s;
  }
  return groups;
}

}  // namespace ikstream
