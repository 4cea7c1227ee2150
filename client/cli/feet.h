// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Feet and contacts by the names that people know, turned into the indices of a clip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::cli {

// --feet NAME=HIP,KNEE,ANKLE[,TOE], joints by name or index. NAME= may be left out.
struct FootOption {
  std::string name;
  std::vector<std::string> joints;  // 3 or 4
};
absl::StatusOr<FootOption> ParseFoot(const std::string& text);

// Looks the joints up. An unknown or repeated name is an error that says so.
absl::StatusOr<v1::Foot> ResolveFoot(const FootOption& foot, const v1::Skeleton& skeleton);

// --contacts FOOT=A:B,C:D: frames [A, B) and [C, D), FOOT by name or index.
struct ContactOption {
  std::string foot;
  std::vector<v1::ContactInterval> intervals;
};
absl::StatusOr<ContactOption> ParseContacts(const std::string& text);

// Looks the foot up among those in use.
absl::StatusOr<v1::FootContacts> ResolveContacts(
    const ContactOption& contacts, const google::protobuf::RepeatedPtrField<v1::Foot>& feet);

// "A:B", either side may be empty: from the start, to the end (-1).
struct FrameRange {
  std::int64_t begin = 0;
  std::int64_t end = -1;
};
absl::StatusOr<FrameRange> ParseFrames(const std::string& text);

}  // namespace ikstream::cli
