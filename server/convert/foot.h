// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Feet and the contacts that callers know, between wire and core. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "convert/limits.h"
#include "ikstream/v1/cleanup.pb.h"
#include "motion/foot.h"
#include "motion/plan.h"

namespace ikstream {

// Field paths are relative to the foot (`hip_joint`).
absl::StatusOr<Foot> ToFoot(const v1::Foot& in, int joints);
v1::Foot ToProto(const Foot& in);

// Field paths are relative to the interval (`anchors[0].point`); order and ranges are
// ValidatePlan's and ValidateContacts' to check.
absl::StatusOr<ContactInterval> ToInterval(const v1::ContactInterval& in);
v1::ContactInterval ToProto(const ContactInterval& in);

// Of Setup.contacts: field paths start at `contacts`.
absl::StatusOr<std::vector<FootContacts>> ToContacts(
    const google::protobuf::RepeatedPtrField<v1::FootContacts>& in);

}  // namespace ikstream
