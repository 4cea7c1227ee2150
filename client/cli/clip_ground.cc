// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_ground.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/platform_file.h"
#include "cli/terrain_file.h"

namespace ikstream::cli {

std::string FileBeside(const std::string& clip, const std::string& what) {
  const auto path =
      std::filesystem::path(clip).replace_extension(absl::StrCat(".", what, ".json"));
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.string() : std::string();
}

absl::Status LoadTerrain(const std::string& path, ClipRequest& request) {
  auto terrain = ReadTerrain(path);
  if (!terrain.ok()) return terrain.status();
  request.terrain = *std::move(terrain);
  auto hash = Sha256OfFile(path);
  if (!hash.ok()) return hash.status();
  request.terrain_sha256 = *std::move(hash);
  return absl::OkStatus();
}

absl::Status LoadPlatforms(const std::string& path, ClipRequest& request) {
  auto tracks = ReadPlatforms(path);
  if (!tracks.ok()) return tracks.status();
  request.platforms = *std::move(tracks);
  auto hash = Sha256OfFile(path);
  if (!hash.ok()) return hash.status();
  request.platforms_sha256 = *std::move(hash);
  return absl::OkStatus();
}

absl::StatusOr<ClipRequest> WithGroundBeside(ClipRequest request, const std::string& clip) {
  if (request.terrain || !request.sidecars) return request;
  const std::string terrain = FileBeside(clip, "terrain");
  if (terrain.empty()) return request;
  if (absl::Status status = LoadTerrain(terrain, request); !status.ok()) return status;
  request.obeyed.push_back(terrain);
  const std::string platforms = FileBeside(clip, "platforms");
  if (platforms.empty()) return request;
  if (request.loop) {
    return UsageError(absl::StrCat(platforms,
                                   ": moving platforms and --loop exclude each "
                                   "other; --no-sidecars leaves the file out"));
  }
  if (absl::Status status = LoadPlatforms(platforms, request); !status.ok()) return status;
  request.obeyed.push_back(platforms);
  return request;
}

}  // namespace ikstream::cli
