// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/json.h"

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/files.h"
#include "google/protobuf/util/json_util.h"

namespace ikstream::cli {

absl::Status ReadJson(const std::string& path, google::protobuf::Message& message) {
  auto text = ReadText(path);
  if (!text.ok()) return text.status();
  return ParseJson(*text, path == "-" ? "stdin" : path, message);
}

absl::Status ParseJson(const std::string& text, const std::string& name,
                       google::protobuf::Message& message) {
  google::protobuf::util::JsonParseOptions options;
  options.case_insensitive_enum_parsing = true;
  const auto status = google::protobuf::util::JsonStringToMessage(text, &message, options);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, ": not the JSON of ",
                                                 message.GetDescriptor()->full_name(), ": ",
                                                 std::string(status.message())));
}

std::string ToJson(const google::protobuf::Message& message, JsonStyle style, bool zeros) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = style == JsonStyle::kPretty;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = zeros;
  std::string text;
  // Only wrongly filled Any and Timestamp fail, which these messages do not hold.
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return "{}\n";
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

}  // namespace ikstream::cli
