// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Checks of points that come from outside.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/math.h"

namespace ikstream {

// OK where a point is finite and within kMaxCoordinate (core/skeleton.h); errors name `field`.
absl::Status CheckPoint(Vec3f point, absl::string_view field);

}  // namespace ikstream
