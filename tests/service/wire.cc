// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/wire.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace ikstream::testing {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void Reset(int fd) {
  const linger hard{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  close(fd);
}

// Moves what is there. False: the end.
bool Copy(int from, int to) {
  char buffer[1 << 16];
  const ssize_t got = recv(from, buffer, sizeof buffer, 0);
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t n =
        send(to, buffer + sent, static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += n;
  }
  return got > 0;
}

}  // namespace

Wire::Wire(int port) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  listen(listener_, 1);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  if (pipe(stop_) != 0) stop_[0] = stop_[1] = -1;
  thread_ = std::thread([this, port] { Forward(port); });
}

std::string Wire::target() const { return "127.0.0.1:" + std::to_string(port_); }

void Wire::Forward(int to_port) {
  pollfd wait[] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
  poll(wait, 2, -1);
  if (wait[1].revents != 0) return;
  const int client = accept(listener_, nullptr, nullptr);
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in address = Loopback(to_port);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (open) {
    pollfd ends[] = {{client, POLLIN, 0}, {server, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    poll(ends, 3, -1);
    open = ends[2].revents == 0;
    if (open && ends[0].revents != 0) open = Copy(client, server);
    if (open && ends[1].revents != 0) open = Copy(server, client);
  }
  Reset(client);
  Reset(server);
}

void Wire::Cut() {
  if (!thread_.joinable()) return;
  close(stop_[1]);
  thread_.join();
  close(stop_[0]);
  close(listener_);
}

}  // namespace ikstream::testing
