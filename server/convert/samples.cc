// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/samples.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

std::span<const float> Floats(const google::protobuf::RepeatedField<float>& list) {
  return {list.data(), static_cast<size_t>(list.size())};
}

}  // namespace

absl::Status CheckedSamples::Read(const v1::Motion& motion, const Batch& batch,
                                  Warnings& warnings) {
  feet_.clear();
  numbers_.clear();
  if (motion.samples_size() == 0) return absl::OkStatus();
  feet_.resize(static_cast<size_t>(batch.feet));
  for (int i = 0; i < motion.samples_size(); ++i) {
    const v1::FootSamples& in = motion.samples(i);
    const std::string path = At("motion.samples", i);
    if (absl::Status s = CheckIndex(in.foot(), batch.feet, path + ".foot"); !s.ok()) return s;
    if (!v1::FootSamples::Point_IsValid(in.point()))
      return FieldError(path + ".point", absl::StrCat(in.point(), " is no point of a foot"));
    SampledFoot& foot = feet_[static_cast<size_t>(in.foot())];
    SampleTrack& out = in.point() == v1::FootSamples::POINT_TOE ? foot.toe : foot.heel;
    if (out.given())
      return FieldError(path, absl::StrCat("foot ", in.foot(), " has samples there already"));
    if (absl::Status s = ReadOne(in, batch, out); !s.ok()) return Under(path, s);
    std::vector<TerrainWarning> odd;
    const absl::Status s =
        CheckSamples(out, batch.frames, batch.platform_count, batch.first_frame, odd);
    for (const TerrainWarning& w : odd)
      warnings.Add(absl::StrCat(path, ".", w.field), w.message, w.frame, w.count);
    if (!s.ok()) return Under(path, s);
  }
  return absl::OkStatus();
}

absl::Status CheckedSamples::ReadOne(const v1::FootSamples& in, const Batch& batch,
                                     SampleTrack& out) {
  out.positions = Floats(in.positions());
  out.normals = Floats(in.normals());
  out.velocities = Floats(in.velocities());
  out.hits = {in.hits().data(), static_cast<size_t>(in.hits_size())};
  if (!out.given())
    return FieldError("positions", "is empty: send `hits` [false] where there is no ground");
  if (in.platforms().empty()) return absl::OkStatus();
  std::vector<std::int32_t>& numbers = numbers_.emplace_back();
  for (const std::int32_t platform : in.platforms()) {
    const auto known = static_cast<std::int32_t>(batch.platforms.size());
    if (platform < -1 || platform >= known)
      return FieldError(At("platforms", static_cast<std::int64_t>(numbers.size())),
                        absl::StrCat(platform, " is neither -1 nor an index of the ", known,
                                     " entries of motion.platforms"));
    numbers.push_back(platform < 0 ? -1 : batch.platforms[static_cast<size_t>(platform)]);
  }
  out.platforms = numbers;
  return absl::OkStatus();
}

}  // namespace ikstream
