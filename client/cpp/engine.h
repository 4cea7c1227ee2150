// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Where inverse kinematics is solved: in this process, or by a server. Both run the same code
// and give the same bits on the same CPU target.
//
//   auto engine = MakeInProcessEngine();                    // or MakeRemoteEngine(options)
//   auto response = engine->Solve(request);
//
// Errors are absl::Status; errors.h reads what they carry. Thread-safe: any number of threads
// may call one engine. Clips are best run by clip_call.h, which restarts them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cpp/cancellation.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::client {

// One clip under way. One thread may push while another one reads: a clip longer than a few
// batches needs both, since Push blocks while too much is unread. Destroying it cancels it.
class ClipStream {
 public:
  using Reply = v1::SolveStreamResponse;

  virtual ~ClipStream() = default;

  // How the server took the setup.
  virtual const v1::StreamReady& ready() const = 0;
  // Sends a plan part or frames; blocks while the engine is busy or the reader is behind.
  // False: the call is over, and Next() tells why.
  virtual bool Push(const v1::SolveStreamRequest& request) = 0;
  // Nothing more will be pushed.
  virtual void HalfClose() = 0;
  // The next reply; nothing where the call ended well; the error with which it ended.
  virtual absl::StatusOr<std::optional<Reply>> Next() = 0;
  // Ends the call soon, with CANCELLED. From any thread, any number of times.
  virtual void Cancel() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // What this engine is and what it takes.
  virtual absl::StatusOr<v1::GetServerInfoResponse> Info() = 0;
  // OK where calls are served; UNAVAILABLE with the state where they are not.
  virtual absl::Status Health() = 0;
  virtual absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request) = 0;
  virtual absl::StatusOr<v1::TraceResponse> Trace(const v1::TraceRequest& request) = 0;
  // Sends the setup and waits until it is taken. `cancellation` outlives the stream and ends
  // it, also while it opens.
  virtual absl::StatusOr<std::unique_ptr<ClipStream>> OpenClip(const v1::Setup& setup,
                                                               Cancellation& cancellation) = 0;
  // Lets this much time pass before a call is made again; less where the server was out of
  // reach and is back. False where `cancellation` cut it short.
  virtual bool Pause(absl::Duration longest, Cancellation& cancellation) {
    return cancellation.Sleep(longest);
  }
  // "in-process", or the server's address; for messages.
  virtual std::string name() const = 0;
};

// Solves in this process, on the threads that call.
std::unique_ptr<Engine> MakeInProcessEngine();

struct RemoteOptions {
  // A gRPC target: host:port, dns:///host:port (balanced over all its addresses), unix:PATH.
  std::string server;
  // Unary calls, retries included. Zero or less: no deadline.
  absl::Duration call_timeout = absl::Seconds(60);
  // A whole clip. Zero or less: no deadline; a dead connection is noticed all the same.
  absl::Duration clip_timeout = absl::ZeroDuration();
  int max_message_bytes = 64 << 20;

  bool tls = false;
  std::string tls_ca_file;           // empty: the system's roots
  std::string tls_certificate_file;  // of this client, PEM; with tls_key_file or not at all
  std::string tls_key_file;
  std::string tls_server_name;  // expected in the server's certificate if not the host's name
  std::string token;            // sent as "authorization: Bearer TOKEN"
};

// Connects when the first call is made. Unary calls are retried where the server is away or
// full for now. INVALID_ARGUMENT for bad options, NOT_FOUND for files that cannot be read.
absl::StatusOr<std::unique_ptr<Engine>> MakeRemoteEngine(const RemoteOptions& options);

}  // namespace ikstream::client
