// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/values.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

// By the order of bits, in which infinity and what is no number come after all numbers.
bool Unfit(float v) {
  return (std::bit_cast<std::uint32_t>(v) & 0x7fffffffu) >
         std::bit_cast<std::uint32_t>(kMaxCoordinate);
}

}  // namespace

std::int64_t FirstUnfit(std::span<const float> values) {
  // Blocks without a branch inside, so that the compiler makes vector code of them.
  constexpr size_t kBlock = 256;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    int bad = 0;
    for (float v : block) bad |= Unfit(v);
    if (bad == 0) continue;
    for (size_t i = 0; i < block.size(); ++i)
      if (Unfit(block[i])) return static_cast<std::int64_t>(begin + i);
  }
  return -1;
}

std::string WhyUnfit(float value) {
  if (!std::isfinite(value)) return "is not finite";
  return absl::StrCat(value, " is beyond ", kMaxCoordinate, " rig units: choose a larger unit");
}

Vec3f ToVec3(const v1::Vec3& v) { return {v.x(), v.y(), v.z()}; }

v1::Vec3 ToProto(Vec3f v) {
  v1::Vec3 out;
  out.set_x(v.x);
  out.set_y(v.y);
  out.set_z(v.z);
  return out;
}

absl::StatusOr<Vec3f> CheckVec3(const v1::Vec3& v, absl::string_view field) {
  const float values[] = {v.x(), v.y(), v.z()};
  if (const auto bad = FirstUnfit(values); bad >= 0)
    return FieldError(field, WhyUnfit(values[bad]));
  return ToVec3(v);
}

absl::StatusOr<Quatf> CheckQuat(const v1::Quat& q, absl::string_view field,
                                Warnings& warnings) {
  const Quatf quat{q.x(), q.y(), q.z(), q.w()};
  const float norm = std::sqrt(Dot(quat, quat));
  if (!std::isfinite(norm)) return FieldError(field, "is not finite");
  if (norm < 1e-6f) return FieldError(field, "has zero length: not a rotation");
  if (std::abs(norm - 1) > 1e-3f)
    warnings.Add(field, absl::StrCat("had length ", norm, "; normalised"));
  return Normalized(quat);
}

absl::Status CheckRange(double value, double low, double high, absl::string_view field) {
  if (std::isfinite(value) && value >= low && value <= high) return absl::OkStatus();
  return FieldError(field, absl::StrCat(value, " is out of range [", low, ", ", high, "]"));
}

absl::Status CheckIndex(std::int64_t index, std::int64_t count, absl::string_view field) {
  if (index >= 0 && index < count) return absl::OkStatus();
  return FieldError(field, absl::StrCat(index, " is out of range [0, ", count, ")"));
}

absl::Status CheckCount(std::int64_t count, std::int64_t limit, absl::string_view field) {
  if (count <= limit) return absl::OkStatus();
  return FieldError(absl::StatusCode::kResourceExhausted, field,
                    absl::StrCat(count, " are too many: the limit is ", limit));
}

std::string At(absl::string_view name, std::int64_t index) {
  return absl::StrCat(name, "[", index, "]");
}

std::string At(absl::string_view name, std::int64_t index, absl::string_view rest) {
  return absl::StrCat(name, "[", index, "].", rest);
}

}  // namespace ikstream
