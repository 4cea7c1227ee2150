// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// What solves, as the service sees it: given to it, so that tests can give another.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "ikstream/v1/service.pb.h"
#include "session/session.h"
#include "session/stop.h"

namespace ikstream {

struct Engine {
  // As Session::Open.
  std::function<absl::StatusOr<std::unique_ptr<Session>>(const v1::Setup&, const Limits&,
                                                         CallShape)>
      open;
  // As DescribeEngine.
  std::function<v1::GetServerInfoResponse(const Limits&)> describe;
  // One frame traced; empty where this build cannot.
  std::function<absl::StatusOr<v1::TraceResponse>(const v1::TraceRequest&, const Limits&,
                                                  const Stop&)>
      trace;
};

}  // namespace ikstream
