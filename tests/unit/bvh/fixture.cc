// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/bvh/fixture.h"

#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ikstream::bvh {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> BvhFilesIn(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".bvh") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Json ParseJson(const std::string& path) {
  google::protobuf::Value value;
  const auto status = google::protobuf::util::JsonStringToMessage(Contents(path), &value);
  EXPECT_TRUE(status.ok()) << path << ": " << status.ToString();
  return Json(value);
}

std::vector<Fixture> LoadFixtures() {
  std::vector<Fixture> fixtures;
  for (const std::string& path : BvhFilesIn(std::string(IKSTREAM_TEST_DATA) + "/bvh")) {
    const std::string stem = fs::path(path).replace_extension().string();
    fixtures.push_back(
        {fs::path(path).stem().string(), Contents(path), ParseJson(stem + ".expected.json")});
  }
  return fixtures;
}

}  // namespace

bool Json::has(std::string_view key) const {
  return value_.struct_value().fields().contains(std::string(key));
}

Json Json::at(std::string_view key) const {
  EXPECT_TRUE(has(key)) << "no " << key;
  const auto& fields = value_.struct_value().fields();
  const auto found = fields.find(std::string(key));
  return Json(found == fields.end() ? google::protobuf::Value() : found->second);
}

std::vector<Json> Json::list() const {
  EXPECT_TRUE(value_.has_list_value());
  std::vector<Json> values;
  for (const auto& value : value_.list_value().values()) values.emplace_back(value);
  return values;
}

std::vector<double> Json::numbers() const {
  std::vector<double> numbers;
  for (const Json& value : list()) numbers.push_back(value.number());
  return numbers;
}

double Json::number() const {
  EXPECT_TRUE(value_.has_number_value());
  return value_.number_value();
}

std::string Json::text() const {
  EXPECT_TRUE(value_.has_string_value());
  return value_.string_value();
}

bool Json::is_null() const { return value_.has_null_value(); }

Json Fixture::For(bool strict) const {
  if (expected.has("both")) return expected.at("both");
  return expected.at(strict ? "strict" : "lenient");
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

const std::vector<Fixture>& Fixtures() {
  static const auto* const fixtures = new std::vector<Fixture>(LoadFixtures());
  return *fixtures;
}

std::vector<std::string> RealClips() {
  const char* folder = std::getenv("IKSTREAM_CLIPS");
  if (folder == nullptr || !fs::is_directory(folder)) return {};
  return BvhFilesIn(folder);
}

}  // namespace ikstream::bvh
