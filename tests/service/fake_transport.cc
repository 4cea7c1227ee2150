// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/fake_transport.h"

#include <chrono>
#include <thread>
#include <utility>

#include "service/errors.h"

namespace ikstream::testing {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);

}  // namespace

void FakeTransport::Read() {
  std::lock_guard lock(mutex_);
  view_.broken |= view_.finishes > 0 || view_.reads > 0;
  ++view_.reads;
  changed_.notify_all();
}

void FakeTransport::Write(Session::Reply reply) {
  std::lock_guard lock(mutex_);
  view_.broken |= view_.finishes > 0 || view_.writes > 0;
  ++view_.writes;
  view_.replies.push_back(std::move(reply));
  changed_.notify_all();
}

void FakeTransport::Finish(const absl::Status& status) {
  std::lock_guard lock(mutex_);
  view_.broken |= view_.finishes > 0 || view_.writes > 0;
  ++view_.finishes;
  view_.status = status;
  changed_.notify_all();
}

FakeTransport::View FakeTransport::view() const {
  std::lock_guard lock(mutex_);
  return view_;
}

void FakeTransport::Answered(int View::*counter) {
  std::lock_guard lock(mutex_);
  --(view_.*counter);
}

bool FakeTransport::WaitFor(const std::function<bool(const View&)>& condition) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return condition(view_); });
}

Stream::Stream(Pool& pool, CallShape shape, ServiceOptions options,
               Stop::Clock::time_point deadline)
    : pool_(pool),
      metrics_(registry_, {{"ccd", "fabrik"}, "", ""}),
      options_(std::move(options)),
      machine_(std::make_shared<StreamMachine>(
          StreamMachine::Parts{transport_, pool, engine_, options_}, shape,
          CallMetrics(metrics_, Method::kSolveStream), deadline)) {}

// The machine's work may go on after Finish; what it stands on must not go before.
Stream::~Stream() {
  machine_->OnCancel();
  WaitIdle();
  while (machine_.use_count() > 1) std::this_thread::yield();
}

bool Stream::WaitIdle() {
  const auto end = Stop::Clock::now() + kPatience;
  while (pool_.stats().waiting > 0 || pool_.stats().running > 0) {
    if (Stop::Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool Stream::Send(v1::SolveStreamRequest message) {
  if (!transport_.WaitFor([](const auto& v) { return v.reads == 1 || v.finishes > 0; }) ||
      view().reads == 0) {
    return false;
  }
  transport_.Answered(&FakeTransport::View::reads);
  machine_->OnRead(std::move(message));
  return true;
}

bool Stream::SendSetup(const std::string& profile) {
  v1::SolveStreamRequest message;
  message.mutable_setup()->set_profile(profile);
  return Send(std::move(message));
}

bool Stream::SendMotion(int frames) {
  v1::SolveStreamRequest message;
  *message.mutable_motion() = FakeMotion(frames);
  return Send(std::move(message));
}

bool Stream::HalfClose() {
  if (!transport_.WaitFor([](const auto& v) { return v.reads == 1; })) return false;
  transport_.Answered(&FakeTransport::View::reads);
  machine_->OnReadEnd();
  return true;
}

bool Stream::Take(bool ok) {
  if (!transport_.WaitFor([](const auto& v) { return v.writes == 1 || v.finishes > 0; }) ||
      view().writes == 0) {
    return false;
  }
  transport_.Answered(&FakeTransport::View::writes);
  machine_->OnWritten(ok);
  return true;
}

absl::Status Stream::TakeAll() {
  while (Take()) {
  }
  return view().finishes == 1 ? view().status : absl::UnknownError("the stream did not end");
}

std::int64_t Stream::FramesAnswered() const {
  std::int64_t frames = 0;
  for (const Session::Reply& reply : view().replies) frames += reply.motion().frame_count();
  return frames;
}

std::string MetadataOf(const absl::Status& status, const std::string& key) {
  const auto metadata = FactsOf(status).metadata;
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

}  // namespace ikstream::testing
