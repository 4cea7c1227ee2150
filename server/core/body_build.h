// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Groups made of groups.
#pragma once

#include <cstdint>
#include <vector>

#include "core/body.h"

namespace ikstream {

// The group with the effectors `last` (bits) of a priority below all others. `order` gets the
// effectors of `group` in the order of the new one, whose nodes are the same.
BodyGroup WithLast(const Rig& rig, const BodyGroup& group, std::uint32_t last,
                   std::vector<int>& order);

}  // namespace ikstream
