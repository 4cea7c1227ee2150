// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_notes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"

namespace ikstream::cli {

void NoteObeyed(const std::string& clip,
                const google::protobuf::RepeatedPtrField<std::string>& files) {
  if (files.empty()) return;
  Note(absl::StrCat("ikstream: ", clip, ": obeys ", absl::StrJoin(files, ", ")));
}

void NoteWarnings(const std::string& clip,
                  const google::protobuf::RepeatedPtrField<v1::Warning>& warnings) {
  for (const v1::Warning& warning : warnings)
    Note(absl::StrCat("ikstream: warning: ", clip, ": ", warning.field(), ": ",
                      warning.message()));
}

}  // namespace ikstream::cli
