// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "motion/ankle_limit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>

namespace ikstream {
namespace {

// A shin whose direction is this near to the sole's normal in the rest pose stands on the foot.
constexpr double kStandsOn = 0.7;
// The range reaches this far beyond what the source itself does.
constexpr double kBeyondSource = 10 * std::numbers::pi / 180;
// Rounding of rotations that are within the range.
constexpr double kSlack = 1e-4;

// Where the toes are in the ankle's frame.
Vec3d ToToes(const ClipSpec& clip, const Foot& foot) {
  if (foot.toe_joint) return Cast<double>(clip.skeleton->joint(*foot.toe_joint).offset);
  const Joint& ankle = clip.skeleton->joint(foot.ankle_joint);
  return ankle.tip ? Cast<double>(*ankle.tip) : Vec3d{};
}

bool RigLimits(const ClipSpec& clip, int joint) {
  return !clip.limits.empty() &&
         !std::holds_alternative<std::monostate>(clip.limits[static_cast<size_t>(joint)]);
}

}  // namespace

AnkleLimit::AnkleLimit(const ClipSpec& clip, const Foot& foot, const LegLimitSettings& settings)
    : most_down_(*settings.ankle_down_rad), most_up_(*settings.ankle_up_rad) {
  const Joint& ankle = clip.skeleton->joint(foot.ankle_joint);
  const Vec3d normal = Cast<double>(*foot.sole_normal);
  const Vec3d toes = ToToes(clip, foot);
  const Vec3d ahead = NormalizedOr(toes - normal * Dot(toes, normal), {});
  shin_ = NormalizedOr(Cast<double>(ankle.offset), {});
  across_ = Cross(normal, ahead);
  rest_ = Rotate(Conjugate(Cast<double>(ankle.rest)), shin_);
  active_ = *settings.enabled && !RigLimits(clip, foot.ankle_joint) && ahead != Vec3d{} &&
            Dot(rest_, normal) < -kStandsOn;
}

double AnkleLimit::Down(Quatd local) const {
  const Vec3d shin = Rotate(Conjugate(local), shin_);
  const Vec3d from = rest_ - across_ * Dot(rest_, across_);
  const Vec3d to = shin - across_ * Dot(shin, across_);
  return -std::atan2(Dot(Cross(from, to), across_), Dot(from, to));
}

bool AnkleLimit::Clamp(const float* sent, float* solved) const {
  if (!active_) return false;
  const double source = Down(Cast<double>(LoadQuat(sent)));
  const Quatd local = Cast<double>(LoadQuat(solved));
  const double down = Down(local);
  const double allowed = std::clamp(down, std::min(-most_up_, source - kBeyondSource),
                                    std::max(most_down_, source + kBeyondSource));
  if (std::abs(down - allowed) <= kSlack) return false;
  Store(Cast<float>(Normalized(local * FromAxisAngle(across_, allowed - down))), solved);
  return true;
}

}  // namespace ikstream
