// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/solve.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/body_state.h"
#include "core/chain_state.h"

namespace ikstream {

struct Solver::State {
  std::shared_ptr<const Rig> rig;
  LaneSpace space;
  std::vector<ChainState> chains;
  std::vector<BodyState> groups;
  std::vector<float> roots, translations;  // where the caller wants none

  float* CopyRoots(const MotionView& motion, float* out);
  float* CopyTranslations(const MotionView& motion, float* out);
  void MeasureAgain(const MotionView& motion, std::span<const ChainTargets> targets,
                    const float* pose, std::span<const ChainResults> results);
};

// Root positions that groups may move.
float* Solver::State::CopyRoots(const MotionView& motion, float* out) {
  const auto count = 3 * static_cast<size_t>(motion.frames);
  if (out == nullptr && roots.size() < count) roots.resize(count);
  float* to = out == nullptr ? roots.data() : out;
  std::copy_n(motion.root_positions, count, to);
  return to;
}

// Translations that chains may lengthen.
float* Solver::State::CopyTranslations(const MotionView& motion, float* out) {
  const size_t count = 3 * rig->translated_joints().size() * static_cast<size_t>(motion.frames);
  if (out == nullptr && translations.size() < count) translations.resize(count);
  float* to = out == nullptr ? translations.data() : out;
  std::copy_n(motion.local_translations, count, to);  // none where no joint is translated
  return to;
}

// What later chains have moved: residuals are those of the output.
void Solver::State::MeasureAgain(const MotionView& motion,
                                 std::span<const ChainTargets> targets, const float* pose,
                                 std::span<const ChainResults> results) {
  for (size_t c = 0; c < chains.size(); ++c) {
    const Chain& chain = rig->chains()[c];
    if (chain.moved_later && chain.group < 0)
      chains[c].MeasureAgain(motion, targets[c], pose, results[c], space);
  }
  for (BodyState& group : groups) group.MeasureAgain(motion, targets, pose, results);
}

Solver::Solver(std::shared_ptr<const Rig> rig) : state_(std::make_unique<State>()) {
  state_->rig = std::move(rig);
  for (const Chain& chain : state_->rig->chains())
    state_->chains.emplace_back(*state_->rig, chain);
  for (const BodyGroup& group : state_->rig->groups())
    state_->groups.emplace_back(*state_->rig, group);
}

Solver::~Solver() = default;

void Solver::Reset(std::int64_t first_frame) {
  for (ChainState& chain : state_->chains) chain.Reset(first_frame);
  for (BodyState& group : state_->groups) group.Reset(first_frame);
}

void Solver::Solve(const MotionView& motion, std::span<const ChainTargets> targets,
                   float* rotations_out, std::span<const ChainResults> results,
                   float* roots_out, float* translations_out) {
  const Rig& rig = *state_->rig;
  const auto count = static_cast<size_t>(motion.frames) * rig.skeleton().size() * 4;
  if (count == 0) return;
  std::memcpy(rotations_out, motion.local_rotations, count * sizeof(float));
  float* roots = nullptr;
  float* translations = nullptr;
  MotionView moved = motion;
  if (roots_out != nullptr || rig.moves_root())
    moved.root_positions = roots = state_->CopyRoots(motion, roots_out);
  if (rig.stretches())
    moved.local_translations = translations =
        state_->CopyTranslations(motion, translations_out);
  size_t groups = 0;  // those solved so far: they stand in the order of their first chains
  for (int i : rig.solve_order()) {
    const auto c = static_cast<size_t>(i);
    const int group = rig.chains()[c].group;
    if (group < 0)
      state_->chains[c].Solve(moved, targets[c], rotations_out, translations, results[c],
                              state_->space);
    else if (group == static_cast<int>(groups))
      state_->groups[groups++].Solve(moved, targets, rotations_out, roots, translations,
                                     results, state_->space);
  }
  state_->MeasureAgain(moved, targets, rotations_out, results);
  for (size_t c = 0; c < state_->chains.size(); ++c)
    if (results[c].angular_velocities != nullptr)
      state_->chains[c].AngularVelocities(rotations_out, motion.frames,
                                          results[c].angular_velocities);
}

}  // namespace ikstream
