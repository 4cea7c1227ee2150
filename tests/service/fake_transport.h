// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A transport that a test plays the client of, and all that a StreamMachine needs.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pool/pool.h"
#include "prometheus/registry.h"
#include "service/fake_engine.h"
#include "service/stream_machine.h"

namespace ikstream::testing {

// Records what the machine asks for. Thread-safe.
class FakeTransport : public StreamTransport {
 public:
  void Read() override;
  void Write(Session::Reply reply) override;
  void Finish(const absl::Status& status) override;

  struct View {
    int reads = 0;   // asked for and not answered
    int writes = 0;  // asked for and not answered
    int finishes = 0;
    std::vector<Session::Reply> replies;
    absl::Status status;
    bool broken = false;  // more than one outstanding, or anything after Finish
  };
  View view() const;
  // The test answers a read or a write.
  void Answered(int View::*counter);
  // Waits for `condition` of the view. False after 10 s.
  bool WaitFor(const std::function<bool(const View&)>& condition);

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  View view_;
};

// A stream over fakes, with calls that wait for what the machine does.
class Stream {
 public:
  explicit Stream(Pool& pool, CallShape shape = CallShape::kStream, ServiceOptions options = {},
                  Stop::Clock::time_point deadline = Stop::Clock::time_point::max());
  ~Stream();

  // As a client does; each waits until the machine reads.
  bool SendSetup(const std::string& profile = "");
  bool SendMotion(int frames);
  bool Send(v1::SolveStreamRequest message);
  bool HalfClose();
  // Takes one answer, so that the next can be written. False: none came.
  bool Take(bool ok = true);
  // Takes answers until the stream ends; its status.
  absl::Status TakeAll();

  bool WaitIdle();  // no step is with the pool: nothing more happens by itself
  FakeTransport& transport() { return transport_; }
  StreamMachine& machine() { return *machine_; }
  FakeTransport::View view() const { return transport_.view(); }
  std::int64_t FramesAnswered() const;

 private:
  Pool& pool_;
  prometheus::Registry registry_;
  Metrics metrics_;
  const Engine engine_ = FakeEngine();
  const ServiceOptions options_;
  FakeTransport transport_;
  std::shared_ptr<StreamMachine> machine_;
};

// The metadata `key` of an error, empty where it has none.
std::string MetadataOf(const absl::Status& status, const std::string& key);

}  // namespace ikstream::testing
