// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/interrupt.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include "cli/exit_code.h"

namespace ikstream::cli {

void CancelOnSignals(client::Cancellation& cancellation) {
  // Blocked in every thread and taken by one that waits for them: cancelling takes locks, which
  // a signal handler must not.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of our output that went away is an error of writing, not the end of the program.
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::thread([signals, &cancellation]() {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    cancellation.Cancel();
    if (sigwait(&signals, &signal) == 0) std::_Exit(kInterrupted);
  }).detach();
}

}  // namespace ikstream::cli
