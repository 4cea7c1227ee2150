// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Changes to protobuf messages by reflection: every field that the protocol has, or will have.
#pragma once

#include <string>

#include "fuzz/bytes.h"
#include "google/protobuf/message.h"

namespace ikstream::fuzz {

// Changes one field somewhere in the message: sets, clears, adds, removes, or repeats.
void MutateField(Bytes& bytes, google::protobuf::Message& message);

// The path of a float or double that is not finite; empty: there is none.
std::string NotFinite(const google::protobuf::Message& message);

}  // namespace ikstream::fuzz
