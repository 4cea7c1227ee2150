// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/platform_file.h"

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

using Values = google::protobuf::RepeatedField<float>;

absl::Status CheckList(const v1::PlatformTrack& track, const char* list, const Values& values,
                       int width, std::int64_t frames) {
  if (values.size() == width || values.size() == width * frames) return absl::OkStatus();
  return UsageError(absl::StrCat("--platforms: ", list, " of \"", track.id(), "\" has ",
                                 values.size(), " values; the clip's ", frames, " frames need ",
                                 width * frames, ", or ", width, " where the platform rests"));
}

// The values of frames [begin, end); those of a platform at rest hold for any frame.
void AddPart(const Values& from, int width, std::int64_t begin, std::int64_t end, Values& to) {
  to.Clear();
  const bool rests = from.size() == width;
  const float* data = from.data();
  to.Add(data + (rests ? 0 : width * begin), data + (rests ? from.size() : width * end));
}

}  // namespace

absl::StatusOr<std::vector<v1::PlatformTrack>> ReadPlatforms(const std::string& path) {
  auto text = ReadText(path);
  if (!text.ok()) return text.status();
  return ParsePlatforms(*text, path);
}

absl::StatusOr<std::vector<v1::PlatformTrack>> ParsePlatforms(const std::string& text,
                                                              const std::string& name) {
  v1::Motion motion;
  if (absl::Status status = ParseJson(text, name, motion); !status.ok()) return status;
  std::vector<v1::PlatformTrack> tracks(motion.platforms().begin(), motion.platforms().end());
  if (tracks.empty()) {
    return UsageError(absl::StrCat(
        name, R"(: no platforms; expected {"platforms": [{"id": ..., "positions": [...]}]})"));
  }
  motion.clear_platforms();
  if (motion.ByteSizeLong() > 0) {
    return UsageError(absl::StrCat(name, ": only `platforms` is read from this file"));
  }
  return tracks;
}

absl::Status CheckPlatforms(const std::vector<v1::PlatformTrack>& tracks, std::int64_t frames) {
  for (const v1::PlatformTrack& track : tracks) {
    absl::Status status = CheckList(track, "positions", track.positions(), 3, frames);
    if (status.ok() && track.rotations_size() > 0) {
      status = CheckList(track, "rotations", track.rotations(), 4, frames);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void AddPlatforms(const std::vector<v1::PlatformTrack>& tracks, std::int64_t begin,
                  std::int64_t end, v1::Motion& motion) {
  motion.clear_platforms();
  for (const v1::PlatformTrack& track : tracks) {
    v1::PlatformTrack& out = *motion.add_platforms();
    out.set_id(track.id());
    AddPart(track.positions(), 3, begin, end, *out.mutable_positions());
    if (track.rotations_size() > 0) {
      AddPart(track.rotations(), 4, begin, end, *out.mutable_rotations());
    }
  }
}

}  // namespace ikstream::cli
