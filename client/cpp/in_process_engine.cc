// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "cpp/engine.h"
#include "cpp/errors.h"
#include "session/session.h"
#include "session/trace.h"

namespace ikstream::client {
namespace {

// Replies that may wait unread before Push blocks, as a server's output is bounded.
constexpr std::size_t kMaxUnread = 16;

// A session is pushed by one thread and read through a queue by another one.
class InProcessClip final : public ClipStream {
 public:
  InProcessClip(std::unique_ptr<Session> session, Cancellation& cancellation)
      : session_(std::move(session)), watch_(cancellation, [this]() { Cancel(); }) {}
  ~InProcessClip() override { Cancel(); }

  const v1::StreamReady& ready() const override { return session_->ready(); }

  bool Push(const v1::SolveStreamRequest& request) override {
    Session::Replies replies;
    absl::Status status = Take(request, replies);
    return Publish(std::move(replies), std::move(status), /*last=*/false);
  }

  void HalfClose() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (over_) return;
    }
    Session::Replies replies;
    absl::Status status = session_->Finish(stop_, replies);
    Publish(std::move(replies), std::move(status), /*last=*/true);
  }

  absl::StatusOr<std::optional<Reply>> Next() override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this]() { return over_ || !unread_.empty(); });
    if (stop_.cancelled()) return absl::CancelledError("cancelled");
    if (!unread_.empty()) {
      Reply reply = std::move(unread_.front());
      unread_.pop_front();
      changed_.notify_all();
      return reply;
    }
    if (!status_.ok()) return status_;
    return std::nullopt;
  }

  void Cancel() override {
    stop_.Cancel();
    std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  absl::Status Take(const v1::SolveStreamRequest& request, Session::Replies& replies) {
    switch (request.message_case()) {
      case v1::SolveStreamRequest::kPlanPart:
        return session_->AddPlanPart(request.plan_part());
      case v1::SolveStreamRequest::kMotion:
        return session_->Push(request.motion(), stop_, replies);
      default:
        return absl::FailedPreconditionError("setup is sent once, by OpenClip");
    }
  }

  // Hands replies to the reader, waiting for room. False where the call is over.
  bool Publish(Session::Replies replies, const absl::Status& status, bool last) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (Reply& reply : replies) {
      changed_.wait(lock, [this]() { return over_ || unread_.size() < kMaxUnread; });
      if (over_) return false;
      unread_.push_back(std::move(reply));
      changed_.notify_all();
    }
    if (!over_ && !status.ok()) status_ = WithDetails(status);
    over_ = over_ || last || !status.ok();
    changed_.notify_all();
    return !over_;
  }

  const std::unique_ptr<Session> session_;
  Stop stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Reply> unread_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  const Cancellation::Watch watch_;  // last: it may act at once, and on all of the above
};

class InProcessEngine final : public Engine {
 public:
  absl::StatusOr<v1::GetServerInfoResponse> Info() override { return DescribeEngine(limits_); }
  absl::Status Health() override { return absl::OkStatus(); }
  std::string name() const override { return "in-process"; }

  absl::StatusOr<v1::SolveResponse> Solve(const v1::SolveRequest& request) override {
    auto session = Session::Open(request.setup(), limits_, CallShape::kUnary);
    if (!session.ok()) return WithDetails(session.status());
    const Stop never;
    Session::Replies replies;
    replies.emplace_back();
    *replies.back().mutable_ready() = (*session)->ready();
    absl::Status status = (*session)->Push(request.motion(), never, replies);
    if (status.ok()) status = (*session)->Finish(never, replies);
    if (!status.ok()) return WithDetails(status);
    return JoinReplies(std::move(replies));
  }

  absl::StatusOr<v1::TraceResponse> Trace(const v1::TraceRequest& request) override {
    auto response = TraceFrame(request, limits_, Stop());
    if (!response.ok()) return WithDetails(response.status());
    return response;
  }

  absl::StatusOr<std::unique_ptr<ClipStream>> OpenClip(const v1::Setup& setup,
                                                       Cancellation& cancellation) override {
    auto session = Session::Open(setup, limits_, CallShape::kStream);
    if (!session.ok()) return WithDetails(session.status());
    return std::make_unique<InProcessClip>(*std::move(session), cancellation);
  }

 private:
  const Limits limits_{};
};

}  // namespace

std::unique_ptr<Engine> MakeInProcessEngine() { return std::make_unique<InProcessEngine>(); }

}  // namespace ikstream::client
