// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The reference set: seeded rigs and motions over all solvers, limits, poles and weights,
// through the core on one CPU target or on all that this machine has. Checks every answer as
// the fuzz target does, and prints a hash of the answers' bits per solver, so that targets and
// machines can be compared. Inputs are made of integers, divisions and square roots alone,
// which every machine rounds alike.
//
//   core_set [--cpu-target NAME] [--scenes N]
//
// Exit code 1: targets with fused multiply-add differ; 77: the CPU target is not here.
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fuzz/core_check.h"
#include "fuzz/cpu_targets.h"
#include "fuzz/target.h"

namespace ikstream::fuzz {
namespace {

constexpr int kSkip = 77;

// FNV-1a, 64 bits.
class Hash {
 public:
  template <class T>
  void Add(const std::vector<T>& values) {
    const auto* p = reinterpret_cast<const unsigned char*>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i)
      value_ = (value_ ^ p[i]) * 0x100000001b3u;
  }
  void Add(const CoreAnswers& answers) {
    Add(answers.rotations), Add(answers.roots);
    for (const ChainAnswers& chain : answers.chains) {
      Add(chain.statuses), Add(chain.iterations);
      Add(chain.residuals), Add(chain.angles);
    }
  }
  std::uint64_t value() const { return value_; }
  friend bool operator==(const Hash&, const Hash&) = default;

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

struct Run {
  std::string target;
  std::map<std::string, Hash> hashes;  // by the first chain's solver
  Hash all;
  int scenes = 0, frames = 0, changed = 0, converged = 0;
};

void Count(const CoreScene& scene, const CoreAnswers& answers, Run& run) {
  ++run.scenes;
  run.frames += scene.frames;
  const size_t row = scene.rotations.size() / static_cast<size_t>(scene.frames);
  for (size_t f = 0; f < static_cast<size_t>(scene.frames); ++f) {
    run.changed += std::memcmp(&scene.rotations[row * f], &answers.rotations[row * f],
                               row * sizeof(float)) != 0;
    run.converged += answers.chains[0].statuses[f] == SolveStatus::kConverged;
  }
}

Run RunSet(int scenes) {
  Run run;
  run.target = CpuTarget();
  std::mt19937 random(20250101);
  for (int i = 0; i < scenes; ++i) {
    std::vector<std::uint8_t> data(2048);
    for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random() >> 24);
    Bytes bytes(data);
    auto rig = Rig::Create(DecodeRig(bytes));
    if (!rig.ok()) continue;
    const auto shared = std::make_shared<const Rig>(*std::move(rig));
    const CoreScene scene = DecodeMotion(bytes, *shared);
    const CoreAnswers answers = SolveScene(shared, scene, scene.frames);
    CheckAnswers(*shared, scene, answers);
    RequireSameBits(answers, SolveScene(shared, scene, 3));
    Count(scene, answers, run);
    run.all.Add(answers);
    run.hashes[shared->chains()[0].spec.solver].Add(answers);
  }
  return run;
}

void Print(const Run& run) {
  std::printf("%-8s all        %016llx  %d scenes, %d frames, %d changed, %d converged\n",
              run.target.c_str(), static_cast<unsigned long long>(run.all.value()), run.scenes,
              run.frames, run.changed, run.converged);
  for (const auto& [solver, hash] : run.hashes)
    std::printf("%-8s %-10s %016llx\n", run.target.c_str(), solver.c_str(),
                static_cast<unsigned long long>(hash.value()));
}

int Main(const std::string& only, int scenes) {
  std::vector<Run> runs;
  int failed = 0;
  for (const std::string& target : CpuTargets()) {
    if (!only.empty() && only != target) continue;
    if (!PinCpuTarget(target).ok()) continue;
    runs.push_back(RunSet(scenes));
    const Run &run = runs.back(), &first = runs.front();
    Print(run);
    // A set that does nothing would agree too.
    Require(run.scenes > scenes / 2 && run.changed > run.frames / 2 &&
                run.converged > run.frames / 8,
            "the set is too easy or too hard");
    if (runs.size() < 2) continue;
    const bool same = run.all == first.all;
    std::printf("%s and %s: %s\n", first.target.c_str(), run.target.c_str(),
                same ? "the same bits" : "other bits");
    if (!same && HasFusedMultiplyAdd(run.target)) failed = 1;
  }
  if (!runs.empty()) return failed;
  std::printf("skipped: the CPU target %s is not in this build or on this machine\n",
              only.c_str());
  return kSkip;
}

}  // namespace
}  // namespace ikstream::fuzz

int main(int argc, char** argv) {
  std::string target;
  int scenes = 400;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--cpu-target") == 0) target = argv[i + 1];
    if (std::strcmp(argv[i], "--scenes") == 0) scenes = std::atoi(argv[i + 1]);
  }
  return ikstream::fuzz::Main(target, scenes);
}
