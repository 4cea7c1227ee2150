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
namespace {

// What was read from a file, and the file's hash.
template <class Read, class Into>
absl::Status Take(Read read, const std::string& path, Into& into, std::string& sha256) {
  if (!read.ok()) return read.status();
  auto hash = Sha256OfFile(path);
  if (!hash.ok()) return hash.status();
  into = *std::move(read);
  sha256 = *std::move(hash);
  return absl::OkStatus();
}

}  // namespace

std::string FileBeside(const std::string& clip, const std::string& what) {
  const auto path =
      std::filesystem::path(clip).replace_extension(absl::StrCat(".", what, ".json"));
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) ? path.string() : std::string();
}

absl::Status LoadTerrain(const std::string& path, ClipRequest& request) {
  return Take(ReadTerrain(path), path, request.terrain, request.terrain_sha256);
}

absl::Status LoadPlatforms(const std::string& path, ClipRequest& request) {
  return Take(ReadPlatforms(path), path, request.platforms, request.platforms_sha256);
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
