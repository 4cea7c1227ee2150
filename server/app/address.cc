// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/address.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace ikstream {

absl::Status ParseAddress(const std::string& text, Address& address) {
  address = {};
  if (text.rfind("unix:", 0) == 0) {
    address.unix_path = text.substr(5);
    if (!address.unix_path.empty()) return absl::OkStatus();
  }
  const std::size_t colon = text.rfind(':');
  const bool found = colon != std::string::npos && colon > 0;
  if (found && absl::SimpleAtoi(text.substr(colon + 1), &address.port) && address.port >= 0 &&
      address.port <= 65535) {
    address.host = text.substr(0, colon);
    const bool bracketed = address.host.front() == '[' && address.host.back() == ']';
    if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
    if (bracketed || address.host.find(':') == std::string::npos) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "`", text,
      "` is not an address such as 127.0.0.1:50051, [::1]:50051 or unix:/run/ik.sock"));
}

}  // namespace ikstream
