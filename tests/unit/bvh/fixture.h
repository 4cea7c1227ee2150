// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The files of tests/data/bvh and what is expected of them (see the README there).
#pragma once

#include <google/protobuf/struct.pb.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace ikstream::bvh {

// A JSON value that is read by key, with a test failure for a key or type that is wrong.
class Json {
 public:
  explicit Json(google::protobuf::Value value) : value_(std::move(value)) {}

  bool has(std::string_view key) const;
  Json at(std::string_view key) const;
  std::vector<Json> list() const;
  std::vector<double> numbers() const;
  double number() const;
  std::string text() const;
  bool is_null() const;

 private:
  google::protobuf::Value value_;
};

struct Fixture {
  std::string name;
  std::string text;  // of the BVH file
  Json expected;

  // What is expected of this mode.
  Json For(bool strict) const;

  friend void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name; }
};

std::string Contents(const std::string& path);

// All fixtures, sorted by name.
const std::vector<Fixture>& Fixtures();

// Paths of the real clips in the folder IKSTREAM_CLIPS, sorted; empty where there is none.
std::vector<std::string> RealClips();

}  // namespace ikstream::bvh
