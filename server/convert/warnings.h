// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Collects what was odd about an input and accepted all the same. The same oddity is counted,
// not repeated, so a clip of a million frames makes a few lines. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "ikstream/v1/motion.pb.h"

namespace ikstream {

class Warnings {
 public:
  // `frame` is absolute, -1 where the warning belongs to no frame. Kinds beyond the first 64
  // are dropped.
  void Add(absl::string_view field, absl::string_view message, std::int64_t frame = -1,
           std::int64_t count = 1);
  // Those of a reply: a client's view of a whole call.
  void Add(const google::protobuf::RepeatedPtrField<v1::Warning>& more);
  bool empty() const { return entries_.empty(); }
  // Appends everything to `out` and forgets it.
  void MoveTo(google::protobuf::RepeatedPtrField<v1::Warning>& out);

 private:
  struct Seen {
    std::int64_t frame;
    std::int64_t count;
  };
  std::map<std::pair<std::string, std::string>, Seen> entries_;
};

}  // namespace ikstream
