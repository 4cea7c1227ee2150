// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <string>

#include "absl/status/status.h"
#include "grpcpp/grpcpp.h"

namespace ikstream {

// UNAUTHENTICATED unless the caller sent `authorization: Bearer TOKEN`. An empty `token` asks
// for nothing. The time taken does not depend on where the texts differ.
absl::Status CheckBearer(const grpc::ServerContextBase& context, const std::string& token);

}  // namespace ikstream
