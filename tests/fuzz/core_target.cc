// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rigs and motions through the core: whatever the rig, its answers keep their promises, and are
// the same in batches of any size, on every CPU target of the build.
#include <memory>
#include <optional>
#include <utility>

#include "core/field_error.h"
#include "fuzz/core_check.h"
#include "fuzz/cpu_targets.h"
#include "fuzz/target.h"

namespace ikstream::fuzz {
namespace {

void CheckOnAllTargets(const std::shared_ptr<const Rig>& rig, const CoreScene& scene,
                       int batch) {
  static const std::vector<std::string> targets = CpuTargets();
  std::optional<CoreAnswers> first;
  for (const std::string& target : targets) {
    if (targets.size() > 1) Require(PinCpuTarget(target).ok(), "no target ", target);
    CoreAnswers whole = SolveScene(rig, scene, scene.frames);
    CheckAnswers(*rig, scene, whole);
    RequireSameBits(whole, SolveScene(rig, scene, batch));
    if (!first)
      first = std::move(whole);
    else if (HasFusedMultiplyAdd(target))
      RequireSameBits(*first, whole);
  }
}

}  // namespace

void FuzzOne(std::span<const std::uint8_t> data) {
  Bytes bytes(data);
  auto rig = Rig::Create(DecodeRig(bytes));
  if (!rig.ok()) {
    Require(rig.status().code() == absl::StatusCode::kInvalidArgument, rig.status().ToString());
    Require(!FieldOf(rig.status()).empty(), "no field in ", rig.status().ToString());
    return;
  }
  const auto shared = std::make_shared<const Rig>(*std::move(rig));
  const int batch = bytes.Range(1, 17);
  const CoreScene scene = DecodeMotion(bytes, *shared);
  CheckOnAllTargets(shared, scene, batch);
}

}  // namespace ikstream::fuzz
