// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A TCP wire that can be cut: a client that is killed looks like this to the server.
#pragma once

#include <string>
#include <thread>

namespace ikstream::testing {

// Forwards the first connection to its port to `port` on loopback until it is cut.
class Wire {
 public:
  explicit Wire(int port);
  ~Wire() { Cut(); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  std::string target() const;
  // Resets both ends, as the kernel does for a process that dies with data unread.
  void Cut();

 private:
  void Forward(int to_port);

  int listener_ = -1;
  int port_ = 0;
  int stop_[2] = {-1, -1};  // a pipe whose closing ends the forwarding
  std::thread thread_;
};

}  // namespace ikstream::testing
