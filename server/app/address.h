// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <string>

#include "absl/status/status.h"

namespace ikstream {

// Where a server listens, as options write it: "HOST:PORT", "[IPV6]:PORT" or "unix:PATH".
struct Address {
  std::string host;  // without brackets; empty for unix
  int port = 0;
  std::string unix_path;
};

// Error: INVALID_ARGUMENT saying what an address looks like.
absl::Status ParseAddress(const std::string& text, Address& address);

}  // namespace ikstream
