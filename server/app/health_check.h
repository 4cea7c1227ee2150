// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include "absl/status/status.h"
#include "app/options.h"

namespace ikstream {

// Asks the server at options.listen, by grpc.health.v1 and within 3 s, whether it serves. For
// containers, which have no other client. With TLS the server's certificate is not verified: it
// need not name the loopback address.
absl::Status CheckHealth(const Options& options);

}  // namespace ikstream
