// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "service/fake_engine.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/field_error.h"

namespace ikstream::testing {
namespace {

using std::chrono::milliseconds;

// The value of `key=` in a profile; -1 where it is not there.
long ValueOf(const std::string& profile, const std::string& key) {
  const auto found = profile.find(key + "=");
  return found == std::string::npos ? -1 : std::atol(&profile[found + key.size() + 1]);
}

class FakeSession : public Session {
 public:
  explicit FakeSession(const v1::Setup& setup) : setup_(setup) {
    ready_.set_max_batch_frames(1000);
    ready_.add_driven_joints(0);
    ++Counts().sessions;
  }
  ~FakeSession() override { --Counts().sessions; }

  absl::Status AddPlanPart(const v1::PlanPart&) override { return absl::OkStatus(); }

  absl::Status Push(const v1::Motion& motion, const Stop& stop, Replies& replies) override {
    const int frames = motion.root_positions_size() / 3;
    work_ = {};
    absl::Status status = Work(stop);
    if (!status.ok()) return status;
    const auto fail_at = ValueOf(setup_.profile(), "fail_at");
    const bool fails = fail_at >= frames_done_ && fail_at < frames_done_ + frames;
    Answer(motion, fails ? static_cast<int>(fail_at - frames_done_) : frames, replies);
    if (!fails) return absl::OkStatus();
    return AtFrame(FieldError("motion.local_rotations", "is odd on purpose"), fail_at);
  }

  absl::Status Finish(const Stop&, Replies& replies) override {
    work_ = {};
    v1::Summary& summary = *replies.emplace_back().mutable_summary();
    summary.set_frames(frames_done_);
    if (setup_.profile().find("quality") != std::string::npos) {
      summary.mutable_quality()->mutable_before()->add_feet()->set_slide_mm_per_frame(7);
      summary.mutable_quality()->mutable_after()->add_feet()->set_slide_mm_per_frame(0.5F);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Work(const Stop& stop) {
    ++Counts().working;
    const auto end = Stop::Clock::now() + milliseconds(ValueOf(setup_.profile(), "work_ms"));
    while (Stop::Clock::now() < end && !stop.ShouldStop()) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    Counts().last_worked = Stop::Clock::now();
    --Counts().working;
    return stop.status();
  }

  void Answer(const v1::Motion& motion, int frames, Replies& replies) {
    if (frames == 0) return;
    v1::MotionResult& result = *replies.emplace_back().mutable_motion();
    result.set_first_frame(frames_done_);
    result.set_frame_count(frames);
    result.mutable_local_rotations()->Add(motion.local_rotations().begin(),
                                          motion.local_rotations().begin() + 4 * frames);
    const auto pad = ValueOf(setup_.profile(), "reply_bytes");
    if (pad > 0)
      result.add_warnings()->set_message(std::string(static_cast<std::size_t>(pad), 'x'));
    frames_done_ += frames;
    work_.frames = frames;
    work_.solve_seconds = 1e-6 * frames;
    work_.encode_seconds = 1e-6;
    work_.chains.resize(1);
    work_.chains[0].by_status[v1::ChainResult::STATUS_CONVERGED] = frames;
    work_.chains[0].solved = frames;
    work_.chains[0].iterations = 3 * frames;
    work_.chains[0].max_residual_ratio = 1e-4;
  }

  const v1::Setup setup_;
};

}  // namespace

FakeCounts& Counts() {
  static FakeCounts counts;
  return counts;
}

Engine FakeEngine() {
  Engine engine;
  engine.open = [](const v1::Setup& setup, const Limits&,
                   CallShape) -> absl::StatusOr<std::unique_ptr<Session>> {
    if (setup.frame_count() < 0) return FieldError("setup.frame_count", "is negative");
    if (setup.frame_count() > 1000) {
      return FieldError(absl::StatusCode::kResourceExhausted, "setup.frame_count",
                        "is above the limit of 1000");
    }
    return std::make_unique<FakeSession>(setup);
  };
  engine.describe = [](const Limits& limits) {
    v1::GetServerInfoResponse info;
    info.set_version("0.0.0-fake");
    info.set_cpu_target("FAKE");
    info.mutable_limits()->set_max_joints(limits.max_joints);
    info.mutable_limits()->set_max_message_bytes(limits.max_message_bytes);
    for (const char* name : {"ccd", "fabrik"}) info.add_solvers()->set_name(name);
    return info;
  };
  return engine;
}

v1::Motion FakeMotion(int frames, int first) {
  v1::Motion motion;
  for (int f = 0; f < frames; ++f) {
    for (float value : {0.F, 1.F, 0.F}) motion.add_root_positions(value);
    for (float value : {static_cast<float>(first + f), 0.F, 0.F, 1.F}) {
      motion.add_local_rotations(value);
    }
  }
  return motion;
}

}  // namespace ikstream::testing
