// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Checks of single values and packed arrays, each naming the field at fault.
#pragma once

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "convert/warnings.h"
#include "core/math.h"
#include "core/skeleton.h"
#include "ikstream/v1/skeleton.pb.h"

namespace ikstream {

// The first value that is not finite or beyond kMaxCoordinate, -1 where none is; and what is
// wrong with it.
std::int64_t FirstUnfit(std::span<const float> values);
std::string WhyUnfit(float value);

Vec3f ToVec3(const v1::Vec3& v);
v1::Vec3 ToProto(Vec3f v);

absl::StatusOr<Vec3f> CheckVec3(const v1::Vec3& v, absl::string_view field);
// Normalises, with a warning where the length is off by more than 1e-3; zero is an error.
absl::StatusOr<Quatf> CheckQuat(const v1::Quat& q, absl::string_view field, Warnings& warnings);
// `value` within [low, high], finite.
absl::Status CheckRange(double value, double low, double high, absl::string_view field);
// An index within [0, count).
absl::Status CheckIndex(std::int64_t index, std::int64_t count, absl::string_view field);
// At most `limit` of something: RESOURCE_EXHAUSTED that tells the limit.
absl::Status CheckCount(std::int64_t count, std::int64_t limit, absl::string_view field);

// "name[i]" and "name[i].rest".
std::string At(absl::string_view name, std::int64_t index);
std::string At(absl::string_view name, std::int64_t index, absl::string_view rest);

}  // namespace ikstream
