// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What mode PLACE reads of a setup.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "convert/warnings.h"
#include "core/rig.h"
#include "ikstream/v1/service.pb.h"
#include "motion/foot.h"
#include "session/session.h"
#include "terrain/placer.h"

namespace ikstream {

struct PlaceSetup {
  std::shared_ptr<const Rig> rig;
  std::vector<Foot> feet;
  std::shared_ptr<const Terrain> terrain;  // null: samples only
  std::unique_ptr<Placer> placer;

  // Errors name fields that start at `setup`, also those that mean nothing in this mode.
  // `warnings` is told which feet were found.
  static absl::StatusOr<PlaceSetup> Read(const v1::Setup& setup, const Limits& limits,
                                         CallShape shape, Warnings& warnings);
};

}  // namespace ikstream
