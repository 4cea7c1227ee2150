// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/rig.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/chain_build.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

std::string Indexed(absl::string_view list, int i) { return absl::StrCat(list, "[", i, "]"); }

absl::Status CheckSizes(const RigSpec& spec) {
  const size_t joints = spec.joints.size();
  if (!spec.limits.empty() && spec.limits.size() != joints)
    return FieldError(
        "limits", absl::StrCat("has ", spec.limits.size(), " entries for ", joints, " joints"));
  if (!spec.stiffness.empty() && spec.stiffness.size() != joints)
    return FieldError("stiffness", absl::StrCat("has ", spec.stiffness.size(), " entries for ",
                                                joints, " joints"));
  return absl::OkStatus();
}

absl::Status CheckTranslated(const std::vector<int>& translated, int joints) {
  std::vector<bool> seen(joints);
  for (size_t t = 0; t < translated.size(); ++t) {
    const std::string field = Indexed("translated_joints", static_cast<int>(t));
    const int joint = translated[t];
    if (joint < 0 || joint >= joints)
      return FieldError(field, absl::StrCat(joint, " is out of range [0, ", joints, ")"));
    if (seen[joint])
      return FieldError(field, absl::StrCat("joint ", joint, " is listed twice"));
    seen[joint] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckStiffness(const std::vector<float>& stiffness) {
  for (size_t i = 0; i < stiffness.size(); ++i)
    if (!(stiffness[i] > 0 && std::isfinite(stiffness[i])))
      return FieldError(Indexed("stiffness", static_cast<int>(i)),
                        "must be finite and greater than 0");
  return absl::OkStatus();
}

// Why the chain needs to know how long a frame lasts; null where it does not.
const char* NeedOfTime(const ChainSpec& chain) {
  if (chain.temporal.active()) return "temporal";
  return chain.angular_velocities ? "angular_velocities" : nullptr;
}

absl::Status CheckRate(double rate, const std::vector<Chain>& chains) {
  if (!(rate >= 0 && std::isfinite(rate)))
    return FieldError("frames_per_second", "must be finite and not negative");
  for (size_t i = 0; rate == 0 && i < chains.size(); ++i)
    if (const char* need = NeedOfTime(chains[i].spec); need != nullptr)
      return FieldError("frames_per_second",
                        absl::StrCat("is not set, but chains[", i, "].", need, " needs it"));
  return absl::OkStatus();
}

absl::Status JoinFrames(const Chain& chain, int& together) {
  if (chain.spec.between != FramesBetween::kInterpolate) return absl::OkStatus();
  together = std::lcm(together, chain.spec.solve_every);
  if (together <= Rig::kMostTogether) return absl::OkStatus();
  return FieldError(
      "solve_every",
      absl::StrCat("with those of other chains makes answers lag by ", together - 1,
                   " frames; at most ", Rig::kMostTogether - 1, ": choose multiples"));
}

}  // namespace

bool Rig::stretches() const {
  return std::any_of(chains_.begin(), chains_.end(),
                     [](const Chain& chain) { return chain.spec.max_stretch > 0; });
}

absl::Status Rig::BuildChains(std::vector<ChainSpec> specs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    auto chain = BuildChain(*this, std::move(specs[i]));
    if (FieldOf(chain.status()).starts_with("limits[")) return chain.status();
    absl::Status s = chain.status();
    if (s.ok()) s = JoinFrames(*chain, frames_together_);
    if (!s.ok()) return Under(Indexed("chains", static_cast<int>(i)), s);
    chains_.push_back(*std::move(chain));
  }
  solve_order_.resize(chains_.size());
  std::iota(solve_order_.begin(), solve_order_.end(), 0);
  std::stable_sort(solve_order_.begin(), solve_order_.end(), [&](int a, int b) {
    return chains_[a].spec.priority < chains_[b].spec.priority;
  });
  auto groups = BuildGroups(*this);
  if (!groups.ok()) return groups.status();
  groups_ = *std::move(groups);
  for (size_t g = 0; g < groups_.size(); ++g)
    for (const BodyEffector& effector : groups_[g].effectors)
      chains_[effector.chain].group = static_cast<int>(g);
  return ShareJoints();
}

absl::StatusOr<Rig> Rig::Create(RigSpec spec) {
  auto sizes = CheckSizes(spec);
  if (!sizes.ok()) return sizes;
  auto skeleton = Skeleton::Create(std::move(spec.joints));
  if (!skeleton.ok()) return Under("skeleton", skeleton.status());
  Rig rig(*std::move(skeleton));
  const int joints = rig.skeleton_.size();
  if (auto s = CheckTranslated(spec.translated_joints, joints); !s.ok()) return s;
  if (auto s = CheckStiffness(spec.stiffness); !s.ok()) return s;
  for (size_t i = 0; i < spec.colliders.size(); ++i)
    if (auto s = CheckCollider(spec.colliders[i], joints, static_cast<int>(spec.chains.size()));
        !s.ok())
      return Under(Indexed("colliders", static_cast<int>(i)), s);
  rig.colliders_ = std::move(spec.colliders);
  rig.limits_ = std::move(spec.limits);
  rig.limits_.resize(joints);
  rig.stiffness_ = std::move(spec.stiffness);
  rig.stiffness_.resize(joints, 1);
  rig.translated_ = std::move(spec.translated_joints);
  rig.translation_of_.assign(joints, -1);
  for (size_t t = 0; t < rig.translated_.size(); ++t)
    rig.translation_of_[rig.translated_[t]] = static_cast<int>(t);
  rig.up_ = spec.up;
  rig.frames_per_second_ = spec.frames_per_second;
  if (auto s = rig.BuildChains(std::move(spec.chains)); !s.ok()) return s;
  if (auto s = CheckRate(spec.frames_per_second, rig.chains_); !s.ok()) return s;
  for (size_t i = 0; i < rig.chains_.size(); ++i) {
    FindColliders(rig, static_cast<int>(i), rig.chains_[i]);
    if (rig.chains_[i].group >= 0 && !rig.chains_[i].colliders.empty())
      return FieldError(Indexed("chains", static_cast<int>(i)) + ".group",
                        "a group cannot stay out of colliders: list its chains in ignored_by");
  }
  rig.FindMovedLater();
  for (const Chain& chain : rig.chains_)
    rig.driven_.insert(rig.driven_.end(), chain.turned.begin(), chain.turned.end());
  std::sort(rig.driven_.begin(), rig.driven_.end());
  rig.driven_.erase(std::unique(rig.driven_.begin(), rig.driven_.end()), rig.driven_.end());
  return rig;
}

bool Rig::moves_root() const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [](const BodyGroup& group) { return group.moves_root; });
}

}  // namespace ikstream
