// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "core/solve.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/body_state.h"
#include "core/chain_state.h"
#include "core/grow.h"

namespace ikstream {
namespace {

// Frames that are solved at once: the passes of a solve find them in the cache. More would not
// keep the lanes busier.
constexpr int kFramesAtOnce = 1024;

Track From(Track track, int frame) {
  if (track) track.data = track.at(frame);
  return track;
}

ChainTargets From(const ChainTargets& all, int frame) {
  return {From(all.positions, frame), From(all.rotations, frame), From(all.weights, frame),
          From(all.poles, frame)};
}

// Null where `all` is.
template <class T>
T* From(T* all, std::int64_t at) {
  return all == nullptr ? nullptr : all + at;
}

ChainResults From(const ChainResults& all, int frame, const Chain& chain) {
  const auto velocities = 3 * static_cast<std::int64_t>(chain.turned.size());
  return {From(all.statuses, frame),
          From(all.iterations, frame),
          From(all.residuals, frame),
          From(all.residual_angles, frame),
          From(all.angular_velocities, velocities * frame),
          From(all.collider_depths, frame)};
}

}  // namespace

struct Solver::State {
  std::shared_ptr<const Rig> rig;
  LaneSpace space;
  std::vector<ChainState> chains;
  std::vector<BodyState> groups;
  std::vector<float> roots, translations;  // where the caller wants none
  std::vector<ChainTargets> part_targets;  // of the frames that are solved at once
  std::vector<ChainResults> part_results;

  void Solve(const MotionView& motion, std::span<const ChainTargets> asked,
             float* rotations_out, std::span<const ChainResults> answers, float* roots_out,
             float* translations_out);
  float* CopyRoots(const MotionView& motion, float* out);
  float* CopyTranslations(const MotionView& motion, float* out);
  void MeasureAgain(const MotionView& motion, std::span<const ChainTargets> targets,
                    const float* pose, std::span<const ChainResults> results);
};

// Root positions that groups may move.
float* Solver::State::CopyRoots(const MotionView& motion, float* out) {
  const auto count = 3 * static_cast<size_t>(motion.frames);
  if (out == nullptr) Grow(roots, count);
  float* to = out == nullptr ? roots.data() : out;
  std::copy_n(motion.root_positions, count, to);
  return to;
}

// Translations that chains may lengthen.
float* Solver::State::CopyTranslations(const MotionView& motion, float* out) {
  const size_t count = 3 * rig->translated_joints().size() * static_cast<size_t>(motion.frames);
  if (out == nullptr) Grow(translations, count);
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
  state_->part_targets.resize(state_->chains.size());
  state_->part_results.resize(state_->chains.size());
}

Solver::~Solver() = default;

void Solver::Reset(std::int64_t first_frame) {
  for (ChainState& chain : state_->chains) chain.Reset(first_frame);
  for (BodyState& group : state_->groups) group.Reset(first_frame);
}

void Solver::State::Solve(const MotionView& motion, std::span<const ChainTargets> asked,
                          float* rotations_out, std::span<const ChainResults> answers,
                          float* roots_out, float* translations_out) {
  const auto count = static_cast<size_t>(motion.frames) * rig->skeleton().size() * 4;
  std::memcpy(rotations_out, motion.local_rotations, count * sizeof(float));
  float* moved_roots = nullptr;
  float* stretched = nullptr;
  MotionView moved = motion;
  if (roots_out != nullptr || rig->moves_root())
    moved.root_positions = moved_roots = CopyRoots(motion, roots_out);
  if (rig->stretches())
    moved.local_translations = stretched = CopyTranslations(motion, translations_out);
  size_t solved = 0;  // groups so far: they stand in the order of their first chains
  for (int i : rig->solve_order()) {
    const auto c = static_cast<size_t>(i);
    const int group = rig->chains()[c].group;
    if (group < 0)
      chains[c].Solve(moved, asked[c], rotations_out, stretched, answers[c], space);
    else if (group == static_cast<int>(solved))
      groups[solved++].Solve(moved, asked, rotations_out, moved_roots, stretched, answers,
                             space);
  }
  MeasureAgain(moved, asked, rotations_out, answers);
  for (size_t c = 0; c < chains.size(); ++c)
    if (answers[c].angular_velocities != nullptr)
      chains[c].AngularVelocities(rotations_out, motion.frames, answers[c].angular_velocities);
}

void Solver::Solve(const MotionView& motion, std::span<const ChainTargets> targets,
                   float* rotations_out, std::span<const ChainResults> results,
                   float* roots_out, float* translations_out) {
  State& state = *state_;
  const Rig& rig = *state.rig;
  const std::int64_t joints = rig.skeleton().size(), slots = rig.translated_joints().size();
  const int parts = rig.frames_together() == 1
                        ? (motion.frames + kFramesAtOnce - 1) / kFramesAtOnce
                        : std::min(motion.frames, 1);
  for (int part = 0, first = 0; part < parts; ++part) {
    const int end = static_cast<int>(std::int64_t{motion.frames} * (part + 1) / parts);
    const MotionView view{end - first, From(motion.root_positions, std::int64_t{3} * first),
                          motion.local_rotations + 4 * joints * first,
                          From(motion.local_translations, 3 * slots * first)};
    for (size_t c = 0; c < state.chains.size(); ++c) {
      state.part_targets[c] = From(targets[c], first);
      state.part_results[c] = From(results[c], first, rig.chains()[c]);
    }
    state.Solve(view, state.part_targets, rotations_out + 4 * joints * first,
                state.part_results, From(roots_out, std::int64_t{3} * first),
                From(translations_out, 3 * slots * first));
    first = end;
  }
}

}  // namespace ikstream
