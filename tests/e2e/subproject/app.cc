// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/engine.h"

int main() {
  const ikstream::v1::SolveRequest request;
  return ikstream::client::MakeInProcessEngine()->Solve(request).ok() ? 0 : 1;
}
