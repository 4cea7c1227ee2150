// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "convert/settings.h"

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream {

absl::StatusOr<CleanupSettings> ToSettings(const v1::CleanupSettings& in) {
  CleanupSettings out;
#define FIELD(group, name) \
  if (in.group().has_##name()) out.group.name = in.group().name();
#define CHOICE(group, name, Core, Proto)                                                     \
  if (in.group().has_##name()) {                                                             \
    if (!Proto##_IsValid(in.group().name()))                                                 \
      return FieldError(#group "." #name,                                                    \
                        absl::StrCat(static_cast<int>(in.group().name()), " is no choice")); \
    out.group.name = static_cast<Core>(in.group().name());                                   \
  }
#include "convert/settings_fields.inc"
#undef FIELD
#undef CHOICE
  if (absl::Status s = ValidateSettings(out); !s.ok()) return s;
  return out;
}

v1::CleanupSettings ToProto(const CleanupSettings& in) {
  v1::CleanupSettings out;
#define FIELD(group, name) \
  if (in.group.name) out.mutable_##group()->set_##name(*in.group.name);
#define CHOICE(group, name, Core, Proto) \
  if (in.group.name) out.mutable_##group()->set_##name(static_cast<Proto>(*in.group.name));
#include "convert/settings_fields.inc"
#undef FIELD
#undef CHOICE
  return out;
}

}  // namespace ikstream
