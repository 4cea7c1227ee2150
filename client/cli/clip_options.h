// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The options that say how a clip is to be read and cleaned, shared by `clean` and `plan`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "cli/feet.h"
#include "cpp/bvh/clip.h"
#include "cpp/bvh/read.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::cli {

// As they stand on the command line.
struct ClipFlags {
  bool strict = false;
  bool loop = false;
  bool no_sidecars = false;
  double fps = 0;
  std::string positions = "auto";
  std::string up = "auto";
  std::string units = "auto";
  std::string frames;
  std::string terrain;
  std::string platforms;
  std::string settings;
  std::string profile;
  std::vector<std::string> set;
  std::vector<std::string> feet;
  std::vector<std::string> contacts;
};

// `flags` outlives the parse.
void AddClipFlags(CLI::App& app, ClipFlags& flags);

// The same, checked, with the files that they name read: what holds for every clip of a run.
struct ClipRequest {
  bvh::ReadOptions read;
  bvh::PositionConvention positions = bvh::PositionConvention::kAuto;
  std::optional<v1::UpAxis> up;           // unset: detected
  std::optional<double> units_per_metre;  // unset: from the legs
  std::optional<FrameRange> frames;
  bool loop = false;
  std::optional<v1::Terrain> terrain;
  std::string terrain_sha256;
  std::vector<v1::PlatformTrack> platforms;
  std::string platforms_sha256;
  bool sidecars = true;             // files beside a clip are obeyed
  std::vector<std::string> obeyed;  // those of one clip that were
  v1::CleanupSettings settings;
  std::string profile;
  std::vector<FootOption> feet;
  std::vector<ContactOption> contacts;
  // Flags that change the answer and are neither settings nor files, for the report's key.
  std::vector<std::string> key_options;
};

// Usage errors name the flag.
absl::StatusOr<ClipRequest> Resolve(const ClipFlags& flags);

}  // namespace ikstream::cli
