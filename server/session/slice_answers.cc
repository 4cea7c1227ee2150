// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/slice_answers.h"

#include <algorithm>

namespace ikstream {

SliceAnswers::SliceAnswers(const Rig& rig, int most) : rig_(rig) {
  const auto chains = rig.chains();
  arrays_.resize(chains.size());
  for (size_t c = 0; c < chains.size(); ++c) {
    Arrays& a = arrays_[c];
    a.statuses.resize(most);
    a.iterations.resize(most);
    a.residuals.resize(most);
    a.angles.resize(most);
    results_.push_back(
        {a.statuses.data(), a.iterations.data(), a.residuals.data(), a.angles.data()});
    if (!chains[c].spec.angular_velocities) continue;
    const std::vector<int>& turned = chains[c].turned;
    a.velocities.resize(3 * turned.size() * most);
    results_.back().angular_velocities = a.velocities.data();
    for (size_t k = 0; k < turned.size(); ++k) {
      // Shared joints have one answer, so one velocity.
      if (std::find(velocity_joints_.begin(), velocity_joints_.end(), turned[k]) !=
          velocity_joints_.end())
        continue;
      velocity_joints_.push_back(turned[k]);
      velocity_sources_.push_back({c, k});
    }
  }
}

void SliceAnswers::AppendTo(v1::MotionResult& out, int begin, int count,
                            std::span<const ChainTargets> targets) const {
  for (size_t c = 0; c < arrays_.size(); ++c) {
    const Arrays& from = arrays_[c];
    v1::ChainResult& to = *out.mutable_chains(static_cast<int>(c));
    for (int f = begin; f < begin + count; ++f)
      to.add_statuses(static_cast<v1::ChainResult::Status>(from.statuses[f]));
    to.mutable_iterations()->Add(from.iterations.begin() + begin,
                                 from.iterations.begin() + begin + count);
    to.mutable_residuals()->Add(from.residuals.begin() + begin,
                                from.residuals.begin() + begin + count);
    const Chain& chain = rig_.chains()[c];
    if (targets[c].rotations || chain.spec.keep_end_rotation || chain.aims())
      to.mutable_residual_angles_rad()->Add(from.angles.begin() + begin,
                                            from.angles.begin() + begin + count);
  }
  AppendVelocities(out, begin, count);
}

void SliceAnswers::AppendVelocities(v1::MotionResult& out, int begin, int count) const {
  const auto joints = static_cast<int>(velocity_joints_.size());
  out.mutable_angular_velocities()->Reserve(out.angular_velocities_size() + 3 * joints * count);
  for (int f = begin; f < begin + count; ++f)
    for (const Source& source : velocity_sources_) {
      const size_t turned = rig_.chains()[source.chain].turned.size();
      const float* w =
          arrays_[source.chain].velocities.data() + 3 * (turned * f + source.place);
      out.mutable_angular_velocities()->Add(w, w + 3);
    }
}

WorkStats::Chain SliceAnswers::Count(size_t c, int count, float& worst_residual) const {
  const Arrays& from = arrays_[c];
  // A single joint that aims has no length, and so no ratio.
  const float length = rig_.chains()[c].length;
  const float per_length = length > 0 ? 1 / length : 0;
  WorkStats::Chain out;
  for (int f = 0; f < count; ++f) {
    const SolveStatus status = from.statuses[f];
    ++out.by_status[static_cast<int>(status)];
    if (status == SolveStatus::kSkipped) continue;
    ++out.solved;
    out.iterations += from.iterations[f];
    worst_residual = std::max(worst_residual, from.residuals[f]);
    out.max_residual_ratio =
        std::max(out.max_residual_ratio, static_cast<double>(from.residuals[f] * per_length));
  }
  return out;
}

}  // namespace ikstream
