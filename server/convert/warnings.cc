// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/warnings.h"

namespace ikstream {
namespace {
constexpr size_t kMostKinds = 64;
}

void Warnings::Add(absl::string_view field, absl::string_view message, std::int64_t frame,
                   std::int64_t count) {
  const auto key = std::make_pair(std::string(field), std::string(message));
  const auto known = entries_.find(key);
  if (known != entries_.end()) {
    known->second.count += count;
  } else if (entries_.size() < kMostKinds) {
    entries_.emplace(key, Seen{frame, count});
  }
}

void Warnings::Add(const google::protobuf::RepeatedPtrField<v1::Warning>& more) {
  for (const v1::Warning& w : more) Add(w.field(), w.message(), w.frame(), w.count());
}

void Warnings::MoveTo(google::protobuf::RepeatedPtrField<v1::Warning>& out) {
  for (const auto& [key, seen] : entries_) {
    v1::Warning& warning = *out.Add();
    warning.set_field(key.first);
    warning.set_message(key.second);
    warning.set_frame(seen.frame);
    warning.set_count(seen.count);
  }
  entries_.clear();
}

}  // namespace ikstream
