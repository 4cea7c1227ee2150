// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Rigs and motions through the core: whatever the rig, its answers keep their promises, and are
// the same in batches of any size.
#include <memory>
#include <utility>

#include "core/field_error.h"
#include "fuzz/core_check.h"
#include "fuzz/target.h"

namespace ikstream::fuzz {

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
  const CoreAnswers whole = SolveScene(shared, scene, scene.frames);
  CheckAnswers(*shared, scene, whole);
  RequireSameBits(whole, SolveScene(shared, scene, batch));
}

}  // namespace ikstream::fuzz
