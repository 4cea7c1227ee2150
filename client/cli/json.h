// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Messages as JSON (proto3's mapping), read and written in one way by every command.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace ikstream::cli {

// Fills `message` from the JSON file `path` ("-": stdin). Unknown fields are errors. Errors
// name the file.
absl::Status ReadJson(const std::string& path, google::protobuf::Message& message);

// The same from text; `name` is for messages.
absl::Status ParseJson(const std::string& text, const std::string& name,
                       google::protobuf::Message& message);

enum class JsonStyle { kPretty, kOneLine };

// Ends with a line end. With `zeros`, numbers that are 0 are written too. Floats are written
// with the digits that read back as the same float.
std::string ToJson(const google::protobuf::Message& message, JsonStyle style,
                   bool zeros = false);

}  // namespace ikstream::cli
