// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// ikstreamd over the fake engine, for tests that need a process: signals, ports, exit codes.
#include "app/run.h"
#include "service/fake_engine.h"

int main(int argc, char** argv) {
  return ikstream::RunServer(argc, argv, ikstream::testing::FakeEngine());
}
