// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "app/run.h"
#include "session/session.h"
#include "session/trace.h"

int main(int argc, char** argv) {
  ikstream::Engine engine;
  engine.open = &ikstream::Session::Open;
  engine.describe = &ikstream::DescribeEngine;
  engine.trace = &ikstream::TraceFrame;
  return ikstream::RunServer(argc, argv, engine);
}
