// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What is told about one clip on the error stream.
#pragma once

#include <string>

#include "google/protobuf/repeated_ptr_field.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::cli {

// The files beside the clip that were obeyed; nothing where there are none.
void NoteObeyed(const std::string& clip,
                const google::protobuf::RepeatedPtrField<std::string>& files);
void NoteWarnings(const std::string& clip,
                  const google::protobuf::RepeatedPtrField<v1::Warning>& warnings);

}  // namespace ikstream::cli
