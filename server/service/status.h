// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The one place where an error becomes what gRPC sends.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/grpcpp.h"

namespace ikstream {

// The code and text, and google.rpc.Status details: BadRequest with the field path, ErrorInfo
// (reason, domain "ikstream", metadata), RetryInfo where another try makes sense. Long texts
// are cut: all of it travels in headers, which clients bound to 8 KiB.
grpc::Status ToGrpc(const absl::Status& status);

// The same for the end of a call: adds the trailer `grpc-retry-pushback-ms` where the error
// says when to try again, or never (-1), and logs errors with the caller's `traceparent`.
grpc::Status EndOfCall(const absl::Status& status, absl::string_view method,
                       grpc::ServerContextBase& context);

}  // namespace ikstream
