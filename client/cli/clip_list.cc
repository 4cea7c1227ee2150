// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "cli/report.h"

namespace ikstream::cli {
namespace {

namespace fs = std::filesystem;

// A clip, and the folder that its output's path starts below; empty: the one that all clips
// without such a folder share.
struct Found {
  std::string path;
  fs::path root = {};

  bool operator<(const Found& other) const { return path < other.path; }
  bool operator==(const Found& other) const { return path == other.path; }
};

bool IsBvh(const fs::path& path) {
  return absl::EqualsIgnoreCase(path.extension().string(), ".bvh");
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

fs::path Plain(const std::string& path) {
  fs::path plain = fs::absolute(path).lexically_normal();
  return plain.has_filename() ? plain : plain.parent_path();
}

// Results of an earlier run that lie below the folder are no inputs.
absl::Status AddFolder(const std::string& folder, const std::string& output,
                       std::vector<Found>& clips) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  const bool skip = !output.empty() && Plain(output) != Plain(folder);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (skip && at->is_directory(error) && Plain(at->path().string()) == Plain(output)) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(error) && IsBvh(at->path()) &&
               at->path().filename().string()[0] != '.') {
      clips.push_back({at->path().string(), Plain(folder)});
    }
  }
  return error ? FileError(absl::StrCat(folder, ": ", error.message())) : absl::OkStatus();
}

absl::Status AddListFile(const std::string& path, std::vector<Found>& clips) {
  auto text = ReadText(path);
  if (!text.ok()) return text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    if (absl::StrContains(line, '\0') || line == "HIERARCHY") {
      return UsageError(absl::StrCat(
          path, ": neither a clip (.bvh), nor a folder, nor a text file of paths"));
    }
    clips.push_back({std::string(line)});
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Found>> FindClips(const ClipListOptions& options) {
  std::vector<Found> clips;
  for (const std::string& input : options.inputs) {
    std::error_code error;
    absl::Status status;
    if (fs::is_directory(input, error)) {
      status = AddFolder(input, options.in_place ? "" : options.output, clips);
    } else if (IsBvh(input)) {
      clips.push_back({input});
    } else {
      status = AddListFile(input, clips);
    }
    if (!status.ok()) return status;
  }
  std::sort(clips.begin(), clips.end());
  clips.erase(std::unique(clips.begin(), clips.end()), clips.end());
  if (clips.empty()) return UsageError("no .bvh file is named or found");
  return clips;
}

// The deepest folder that holds all clips without a root, whichever shard they are in.
fs::path CommonFolder(const std::vector<Found>& clips) {
  fs::path common;
  for (const Found& clip : clips) {
    if (!clip.root.empty()) continue;
    if (common.empty()) common = Plain(clip.path).parent_path();
    while (!IsBelow(Plain(clip.path), common)) common = common.parent_path();
  }
  return common;
}

absl::Status CheckOutputs(const ClipList& list) {
  std::map<std::string, std::string> owner;
  for (const CleanJob& job : list.jobs) {
    // Also two clips whose reports would be one file.
    const auto [at, fresh] = owner.emplace(ReportPath(job.output), job.input);
    if (!fresh) {
      return UsageError(absl::StrCat(job.input, " and ", at->second,
                                     " would be written to the same place, ", job.output));
    }
    std::error_code error;
    if (fs::equivalent(job.input, job.output, error)) {
      return UsageError(absl::StrCat(job.input,
                                     ": would be overwritten; say --in-place if "
                                     "that is what you want"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shard> ParseShard(const std::string& text) {
  Shard shard;
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &shard.index) &&
      absl::SimpleAtoi(parts[1], &shard.count) && shard.index >= 0 &&
      shard.index < shard.count) {
    return shard;
  }
  return UsageError(absl::StrCat("--shard ", text, ": expected I/N with 0 <= I < N"));
}

absl::StatusOr<ClipList> ListClips(const ClipListOptions& options) {
  if (options.in_place != options.output.empty()) {
    return UsageError(options.in_place ? "--in-place and --output exclude each other"
                                       : "say where the result goes: -o PATH, or --in-place");
  }
  auto clips = FindClips(options);
  if (!clips.ok()) return clips.status();
  ClipList list;
  std::error_code error;
  list.single = options.inputs.size() == 1 && options.inputs[0] == clips->front().path &&
                options.shard.count == 1;
  const fs::path common = CommonFolder(*clips);
  // An output that is a folder takes a single clip too.
  const bool to_file = list.single && !fs::is_directory(options.output, error);
  for (std::size_t k = 0; k < clips->size(); ++k) {
    if (static_cast<std::int64_t>(k) % options.shard.count != options.shard.index) continue;
    const auto& [clip, root] = (*clips)[k];
    const fs::path below = Plain(clip).lexically_relative(root.empty() ? common : root);
    const std::string output = options.in_place ? clip
                               : to_file        ? options.output
                                                : (fs::path(options.output) / below).string();
    list.jobs.push_back({clip, output, "", "", ""});
  }
  if (options.in_place) return list;
  if (absl::Status status = CheckOutputs(list); !status.ok()) return status;
  return list;
}

}  // namespace ikstream::cli
