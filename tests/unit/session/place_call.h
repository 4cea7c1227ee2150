// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Calls of mode PLACE for the bodies and clips of unit/terrain/place_fixtures.h.
#pragma once

#include "ikstream/v1/service.pb.h"
#include "unit/terrain/place_fixtures.h"

namespace ikstream::testing {

v1::Setup PlaceSetupFor(const Body& body);

// Frames [begin, end) with their samples and platforms.
v1::Motion PlaceMotionFor(const Body& body, const Clip& clip, const PlaceSetup& setup,
                          int begin, int end);

}  // namespace ikstream::testing
