// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/settings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/exit_code.h"
#include "cli/json.h"

namespace ikstream::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string FieldNames(const Descriptor& type) {
  std::string names;
  for (int i = 0; i < type.field_count(); ++i) {
    absl::StrAppend(&names, i > 0 ? ", " : "", type.field(i)->name());
  }
  return names;
}

// The values without the prefix that all of them share ("MODE_").
std::string ShortName(const EnumValueDescriptor& value) {
  const std::string zero = value.type()->value(0)->name();  // PREFIX_UNSPECIFIED
  const std::size_t prefix = zero.rfind("UNSPECIFIED");
  return absl::AsciiStrToLower(value.name().substr(prefix));
}

const EnumValueDescriptor* FindEnumValue(const EnumDescriptor& type, const std::string& text) {
  const std::string name = absl::AsciiStrToLower(text);
  for (int i = 1; i < type.value_count(); ++i) {
    const EnumValueDescriptor* value = type.value(i);
    if (name == ShortName(*value) || name == absl::AsciiStrToLower(value->name())) return value;
  }
  return nullptr;
}

std::string EnumNames(const EnumDescriptor& type) {
  std::string names;
  for (int i = 1; i < type.value_count(); ++i) {
    absl::StrAppend(&names, i > 1 ? ", " : "", ShortName(*type.value(i)));
  }
  return names;
}

absl::Status WrongValue(const FieldDescriptor& field, const std::string& text,
                        const std::string& expected) {
  return UsageError(absl::StrCat("--set ", field.name(), "=", text, ": expected ", expected));
}

absl::Status SetScalar(const FieldDescriptor& field, const std::string& text,
                       Message& message) {
  const auto* reflection = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT: {
      float value = 0;
      if (!absl::SimpleAtof(text, &value)) return WrongValue(field, text, "a number");
      reflection->SetFloat(&message, &field, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_INT32: {
      int value = 0;
      if (!absl::SimpleAtoi(text, &value)) return WrongValue(field, text, "a whole number");
      reflection->SetInt32(&message, &field, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_BOOL: {
      bool value = false;
      if (!absl::SimpleAtob(text, &value)) return WrongValue(field, text, "true or false");
      reflection->SetBool(&message, &field, value);
      return absl::OkStatus();
    }
    case FieldDescriptor::CPPTYPE_ENUM: {
      const EnumValueDescriptor* value = FindEnumValue(*field.enum_type(), text);
      if (value == nullptr) return WrongValue(field, text, EnumNames(*field.enum_type()));
      reflection->SetEnum(&message, &field, value);
      return absl::OkStatus();
    }
    default:
      return UsageError(absl::StrCat("--set ", field.name(), ": cannot be set in this way"));
  }
}

}  // namespace

absl::Status ApplySetting(const std::string& assignment, v1::CleanupSettings& settings) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    return UsageError(absl::StrCat("--set ", assignment, ": expected GROUP.FIELD=VALUE"));
  }
  const std::vector<std::string> path = absl::StrSplit(assignment.substr(0, equals), '.');
  Message* message = &settings;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(path[i]);
    const bool last = i + 1 == path.size();
    const bool group =
        field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field == nullptr || (!last && !group)) {
      return UsageError(absl::StrCat("--set ", assignment, ": no `", path[i], "`; there are ",
                                     FieldNames(*message->GetDescriptor())));
    }
    if (last && group) {
      return UsageError(absl::StrCat("--set ", assignment, ": `", path[i], "` is a group of ",
                                     FieldNames(*field->message_type())));
    }
    if (last) return SetScalar(*field, assignment.substr(equals + 1), *message);
    message = message->GetReflection()->MutableMessage(message, field);
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::CleanupSettings> LoadSettings(const std::string& file,
                                                 const std::vector<std::string>& assignments) {
  v1::CleanupSettings settings;
  if (!file.empty()) {
    absl::Status status = ReadJson(file, settings);
    if (status.code() == absl::StatusCode::kInvalidArgument) {
      return UsageError(std::string(status.message()));
    }
    if (!status.ok()) return status;
  }
  for (const std::string& assignment : assignments) {
    if (absl::Status status = ApplySetting(assignment, settings); !status.ok()) return status;
  }
  return settings;
}

}  // namespace ikstream::cli
