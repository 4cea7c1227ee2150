// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/motion.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "absl/strings/str_cat.h"
#include "convert/values.h"
#include "core/field_error.h"

namespace ikstream {
namespace {

// Platforms of a call: those that terrain is on and those that samples name.
constexpr std::int64_t kMostPlatforms = 1024;

// Closer to 1 than this (of the squared length), a quaternion is used as it is.
constexpr float kUnit = 2e-6f;

absl::Status CheckSize(std::int64_t have, std::int64_t need, const char* field,
                       const std::string& why) {
  if (have == need) return absl::OkStatus();
  return FieldError(field, absl::StrCat("has ", have, " values; ", why, " need ", need));
}

bool OffUnit(const float* q) {
  const float norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return !(std::abs(norm - 1) < kUnit);  // true for what is not finite, too
}

// The first of `count` quaternions at or after `from` that is not of unit length, else count.
std::int64_t NextOffUnit(const float* quats, std::int64_t from, std::int64_t count) {
  constexpr std::int64_t kBlock = 64;
  for (; from < count; from += kBlock) {
    const std::int64_t end = std::min(from + kBlock, count);
    int off = 0;
    for (std::int64_t i = from; i < end; ++i) off |= OffUnit(quats + 4 * i);
    if (off == 0) continue;
    while (!OffUnit(quats + 4 * from)) ++from;
    return from;
  }
  return count;
}

}  // namespace

absl::Status CheckedMotion::Read(const v1::Motion& motion, const Rig& rig, const Limits& limits,
                                 std::int64_t first_frame, Warnings& warnings) {
  rig_ = &rig;
  first_frame_ = first_frame;
  error_ = absl::OkStatus();
  normalised_.clear();
  own_.clear();
  targets_.assign(rig.chains().size(), {});
  if (absl::Status s = ReadFrames(motion, limits); !s.ok()) return s;

  CheckFinite({motion.root_positions().data(), motion.root_positions_size(), 3, false,
               "motion.root_positions"});
  CheckFinite({motion.local_translations().data(), motion.local_translations_size(),
               std::max<std::int64_t>(1, 3 * static_cast<int>(rig.translated_joints().size())),
               false, "motion.local_translations"});
  view_.local_rotations =
      CheckRotations({raw_rotations_, motion.local_rotations_size(),
                      4LL * rig.skeleton().size(), false, "motion.local_rotations"},
                     warnings, true);

  std::vector<bool> seen(targets_.size());
  for (int i = 0; i < motion.targets_size(); ++i) {
    const v1::TargetTrack& track = motion.targets(i);
    const std::string path = At("motion.targets", i);
    absl::Status s = CheckIndex(track.chain(), static_cast<int>(seen.size()), path + ".chain");
    if (s.ok() && seen[track.chain()])
      s = FieldError(path + ".chain",
                     absl::StrCat("chain ", track.chain(), " has a track already"));
    if (!s.ok()) return s;
    seen[track.chain()] = true;
    if (s = ReadTarget(track, path); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckedMotion::ReadFrames(const v1::Motion& motion, const Limits& limits) {
  const std::int64_t positions = motion.root_positions_size();
  if (positions == 0 || positions % 3 != 0)
    return FieldError("motion.root_positions",
                      absl::StrCat("has ", positions,
                                   " values; 3 per frame and at least one frame are needed"));
  const std::int64_t frames = positions / 3;
  if (absl::Status s = CheckCount(frames, limits.max_batch_frames, "motion.root_positions");
      !s.ok())
    return s;
  const std::int64_t joints = rig_->skeleton().size();
  const std::int64_t moved = static_cast<std::int64_t>(rig_->translated_joints().size());
  absl::Status s =
      CheckSize(motion.local_rotations_size(), 4 * joints * frames, "motion.local_rotations",
                absl::StrCat("4 per joint, ", joints, " joints and ", frames, " frames"));
  if (s.ok())
    s = CheckSize(
        motion.local_translations_size(), 3 * moved * frames, "motion.local_translations",
        absl::StrCat("3 per translated joint, ", moved, " joints and ", frames, " frames"));
  if (!s.ok()) return s;
  sent_ = static_cast<int>(frames);
  raw_rotations_ = motion.local_rotations().data();
  view_ = {sent_, motion.root_positions().data(), raw_rotations_,
           moved > 0 ? motion.local_translations().data() : nullptr};
  return absl::OkStatus();
}

absl::Status CheckedMotion::ReadList(const google::protobuf::RepeatedField<float>& list,
                                     int width, const std::string& name, Track& out,
                                     Field& field) {
  field = {list.data(), list.size(), width, list.size() == width, name};
  if (list.empty()) return absl::OkStatus();
  if (list.size() != width && list.size() != static_cast<std::int64_t>(width) * sent_)
    return FieldError(name, absl::StrCat("has ", list.size(), " values; 0, ", width, " or ",
                                         static_cast<std::int64_t>(width) * sent_, " (", width,
                                         " per frame) are needed"));
  out = {list.data(), field.repeats ? 0 : width};
  return absl::OkStatus();
}

absl::Status CheckedMotion::ReadTarget(const v1::TargetTrack& track, const std::string& path) {
  ChainTargets& out = targets_[track.chain()];
  Field field;
  absl::Status s = ReadList(track.positions(), 3, path + ".positions", out.positions, field);
  if (!s.ok()) return s;
  CheckFinite(field);
  if (s = ReadList(track.poles(), 3, path + ".poles", out.poles, field); !s.ok()) return s;
  CheckFinite(field);
  if (s = ReadList(track.weights(), 1, path + ".weights", out.weights, field); !s.ok())
    return s;
  CheckWeights(field);
  if (s = ReadList(track.rotations(), 4, path + ".rotations", out.rotations, field); !s.ok())
    return s;
  if (out.rotations && rig_->chains()[static_cast<std::size_t>(track.chain())].aims())
    return FieldError(path + ".rotations", "has no meaning for a chain that aims");
  if (out.rotations) {
    Warnings none;  // a target has no bits to keep, so its length is no one's concern
    out.rotations.data = CheckRotations(field, none, false);
  }
  return absl::OkStatus();
}

absl::Status CheckedMotion::ReadPlatform(const v1::PlatformTrack& track,
                                         const std::string& path, PlatformTrack& out) {
  Field field;
  absl::Status s = ReadList(track.positions(), 3, path + ".positions", out.positions, field);
  if (!s.ok()) return s;
  if (!out.positions)
    return FieldError(path + ".positions", "is empty: where is the platform?");
  CheckFinite(field);
  if (s = ReadList(track.rotations(), 4, path + ".rotations", out.rotations, field); !s.ok())
    return s;
  if (out.rotations) {
    Warnings none;
    out.rotations.data = CheckRotations(field, none, false);
  }
  return absl::OkStatus();
}

absl::Status CheckedMotion::ReadPlatforms(const v1::Motion& motion, bool adds,
                                          std::vector<std::string>& known,
                                          std::vector<PlatformTrack>& out,
                                          std::vector<int>& numbers) {
  out.assign(known.size(), {});
  numbers.clear();
  for (int i = 0; i < motion.platforms_size(); ++i) {
    const v1::PlatformTrack& track = motion.platforms(i);
    const std::string path = At("motion.platforms", i);
    const auto at = static_cast<std::size_t>(std::find(known.begin(), known.end(), track.id()) -
                                             known.begin());
    if (at == known.size()) {
      if (!adds)
        return FieldError(path + ".id",
                          absl::StrCat("no terrain is on a platform \"", track.id(), "\""));
      if (absl::Status s = CheckCount(static_cast<std::int64_t>(known.size()) + 1,
                                      kMostPlatforms, "motion.platforms");
          !s.ok())
        return s;
      known.push_back(track.id());
      out.emplace_back();
    }
    numbers.push_back(static_cast<int>(at));
    PlatformTrack& to = out[at];
    if (to.positions)
      return FieldError(path + ".id", absl::StrCat("\"", track.id(), "\" has a track already"));
    if (absl::Status s = ReadPlatform(track, path, to); !s.ok()) return s;
  }
  for (std::size_t p = 0; p < known.size(); ++p)
    if (!out[p].positions)
      return FieldError(
          "motion.platforms",
          absl::StrCat("platform \"", known[p],
                       "\" has no track: terrain is on it, or an earlier batch told it"));
  return absl::OkStatus();
}

absl::Status CheckedMotion::TakeFrameError(const absl::Status& status) {
  const std::int64_t frame = FrameOf(status) - first_frame_;
  if (status.ok() || frame < 0 || frame >= sent_) return status;
  if (!error_.ok() && frame >= view_.frames) return absl::OkStatus();
  view_.frames = static_cast<int>(frame);
  error_ = status;
  return absl::OkStatus();
}

void CheckedMotion::CheckFinite(const Field& field) {
  const std::int64_t bad =
      FirstUnfit({field.data, static_cast<size_t>(std::max<std::int64_t>(field.size, 0))});
  if (bad >= 0) Bad(field, bad, WhyUnfit(field.data[bad]));
}

void CheckedMotion::CheckWeights(const Field& field) {
  for (std::int64_t i = 0; i < field.size; ++i) {
    if (field.data[i] >= 0 && field.data[i] <= 1) continue;
    return Bad(field, i, absl::StrCat(field.data[i], " is out of range [0, 1]"));
  }
}

const float* CheckedMotion::CheckRotations(const Field& field, Warnings& warnings,
                                           bool remember) {
  const std::int64_t count = field.size / 4;
  float* copy = nullptr;
  for (std::int64_t i = NextOffUnit(field.data, 0, count); i < count;
       i = NextOffUnit(field.data, i + 1, count)) {
    const Quatd q = Cast<double>(LoadQuat(field.data + 4 * i));
    const double length = std::sqrt(Dot(q, q));
    if (!(length > 1e-6) || !std::isfinite(length)) {
      Bad(field, 4 * i,
          std::isfinite(length) ? "has zero length: not a rotation" : "is not finite");
      break;
    }
    if (copy == nullptr) {
      copy = own_.emplace_back(field.data, field.data + field.size).data();
    }
    Store(Cast<float>(Normalized(q)), copy + 4 * i);
    if (remember) normalised_.push_back(i);
    if (std::abs(length - 1) > 1e-3)
      warnings.Add(field.name,
                   "quaternions were not of unit length; normalised copies were solved",
                   first_frame_ + 4 * i / field.width);
  }
  return copy != nullptr ? copy : field.data;
}

void CheckedMotion::Bad(const Field& field, std::int64_t index, const std::string& what) {
  const int frame = field.repeats ? 0 : static_cast<int>(index / field.width);
  if (!error_.ok() && frame >= view_.frames) return;
  std::string where = At(field.name, index);
  std::string text = absl::StrCat(what, " (frame ", first_frame_ + frame);
  if (field.data == raw_rotations_) {
    const auto joint = static_cast<int>(index % field.width / 4);
    absl::StrAppend(&text, ", joint ", joint, " \"", rig_->skeleton().joint(joint).name, "\"");
  }
  view_.frames = frame;
  error_ = AtFrame(FieldError(where, text + ")"), first_frame_ + frame);
}

void CheckedMotion::RestoreSent(float* rotations, int begin, int end) const {
  const std::int64_t joints = rig_->skeleton().size();
  const auto first = std::lower_bound(normalised_.begin(), normalised_.end(), joints * begin);
  for (auto it = first; it != normalised_.end() && *it < joints * end; ++it) {
    float* answer = rotations + 4 * (*it - joints * begin);
    if (std::memcmp(answer, view_.local_rotations + 4 * *it, 4 * sizeof(float)) == 0)
      std::memcpy(answer, raw_rotations_ + 4 * *it, 4 * sizeof(float));
  }
}

}  // namespace ikstream
