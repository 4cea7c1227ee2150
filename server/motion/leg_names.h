// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What the name of a joint says about legs. Internal to leg finding.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace ikstream {

enum class Side { kNone, kLeft, kRight };
enum class LegPart { kNone, kThigh, kShin, kAnkle, kToe };

struct NameMeaning {
  Side side = Side::kNone;
  LegPart part = LegPart::kNone;
  bool hind = false, fore = false;  // quadrupeds
};

// Reads names such as `mixamorig:LeftUpLeg`, `FK_L_upLeg_jnt`, `thigh.L`, `Bip01 R Calf`.
// Controls (IK handles, poles, rolls) and end markers have no part.
NameMeaning ReadName(absl::string_view name);

}  // namespace ikstream
