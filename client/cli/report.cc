// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/report.h"

#include <filesystem>

#include "cli/files.h"
#include "cli/json.h"
#include "google/protobuf/util/message_differencer.h"

namespace ikstream::cli {

std::string ReportPath(const std::string& output) {
  return std::filesystem::path(output).replace_extension(".report.json").string();
}

CleanKey MakeKey(const ClipRequest& request, const std::string& engine_version,
                 const std::string& input_sha256, const std::string& plan_sha256) {
  CleanKey key;
  key.set_version(engine_version);
  key.set_input_sha256(input_sha256);
  key.set_plan_sha256(plan_sha256);
  key.set_terrain_sha256(request.terrain_sha256);
  key.set_platforms_sha256(request.platforms_sha256);
  *key.mutable_settings() = request.settings;
  key.set_profile(request.profile);
  for (const std::string& option : request.key_options) key.add_options(option);
  return key;
}

bool IsDone(const std::string& report_path, const std::string& output, const CleanKey& key,
            bool in_place) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(report_path, error)) return false;
  CleanReport report;
  if (!ReadJson(report_path, report).ok()) return false;
  const auto hash = Sha256OfFile(output);
  if (!hash.ok() || *hash != report.output_sha256()) return false;
  CleanKey wanted = key;
  if (in_place && key.input_sha256() == *hash) {
    wanted.set_input_sha256(report.key().input_sha256());
  }
  return google::protobuf::util::MessageDifferencer::Equals(report.key(), wanted);
}

}  // namespace ikstream::cli
