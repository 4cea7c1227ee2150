// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/auth.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace ikstream {
namespace {

constexpr absl::string_view kScheme = "Bearer ";

bool SameText(absl::string_view a, absl::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different |= static_cast<unsigned char>(a[i]) ^
                 static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
  }
  return different == 0;
}

}  // namespace

absl::Status CheckBearer(const grpc::ServerContextBase& context, const std::string& token) {
  if (token.empty()) return absl::OkStatus();
  const auto found = context.client_metadata().find("authorization");
  if (found == context.client_metadata().end()) {
    return absl::UnauthenticatedError("send the metadata `authorization: Bearer TOKEN`");
  }
  const absl::string_view sent(found->second.data(), found->second.size());
  if (!absl::StartsWithIgnoreCase(sent, kScheme) ||
      !SameText(sent.substr(kScheme.size()), token)) {
    return absl::UnauthenticatedError("the bearer token is not the one this server asks for");
  }
  return absl::OkStatus();
}

}  // namespace ikstream
