// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// long_clip: plans and cleans a clip of any length through SolveStream, in batches of any size.
// The frames are those of a looping BVH file over and over, so nothing but the engine's own
// windows is in memory. Prints what came of it as JSON; `hash` is of all that was answered.
//
//   long_clip LOOP.bvh --frames 1000000 --batch 1024 --server 127.0.0.1:50051
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/clip_file.h"
#include "cli/span.h"
#include "convert/plan.h"
#include "cpp/clip_call.h"
#include "cpp/engine.h"

namespace ikstream {
namespace {

struct Options {
  std::string clip;
  std::string server;
  std::int64_t frames = 100000;
  int batch = 0;
};

class LoopSource final : public client::ClipSource {
 public:
  LoopSource(const cli::ClipFile& clip, std::int64_t frames)
      : frames_(frames),
        joints_(clip.header.joints.size()),
        step_(cli::MeasureLoop(clip)),
        base_(bvh::ToClip(clip.header, clip.layout, *clip.rows)) {}

  absl::Status Rewind() override {
    next_ = 0;
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(int max_frames, v1::Motion& motion) override {
    motion.Clear();
    for (int i = 0; i < max_frames && next_ < frames_; ++i) Add(next_++, motion);
    return motion.root_positions_size() > 0;
  }

 private:
  void Add(std::int64_t frame, v1::Motion& motion) const {
    const auto at = static_cast<std::size_t>(frame % step_.frames);
    const auto round = static_cast<double>(frame / step_.frames);
    for (std::size_t axis = 0; axis < 3; ++axis)
      motion.add_root_positions(
          static_cast<float>(base_.root_positions[3 * at + axis] + round * step_.shift[axis]));
    const float* rotations = base_.local_rotations.data() + 4 * joints_ * at;
    motion.mutable_local_rotations()->Add(rotations, rotations + 4 * joints_);
  }

  const std::int64_t frames_;
  const std::size_t joints_;
  const cli::LoopStep step_;
  const bvh::Clip base_;
  std::int64_t next_ = 0;
};

// Joins the plan; hashes the answers (FNV-1a over their bytes).
class Sink final : public client::ClipSink {
 public:
  absl::Status Begin(const v1::StreamReady&) override { return absl::OkStatus(); }

  absl::Status Take(client::ClipStream::Reply reply) override {
    if (reply.has_plan_part()) {
      const absl::Status s = JoinPlanPart(reply.plan_part(), !planned, plan);
      planned = true;
      return s;
    }
    if (!reply.has_motion()) return absl::OkStatus();
    frames += reply.motion().frame_count();
    Hash(0, reply.motion().root_positions());
    Hash(1, reply.motion().local_rotations());
    for (int f = 0; f < reply.motion().feet_size(); ++f)
      Hash(2 + static_cast<std::size_t>(f), reply.motion().feet(f).weights());
    return absl::OkStatus();
  }

  std::uint64_t hash() const {
    std::uint64_t all = 0;
    for (const std::uint64_t hash : hashes_) all = all * 31 + hash;
    return all;
  }

  v1::Plan plan;
  bool planned = false;
  std::int64_t frames = 0;

 private:
  // Lists are hashed apart, so that where replies are cut does not matter.
  void Hash(std::size_t list, const google::protobuf::RepeatedField<float>& values) {
    if (hashes_.size() <= list) hashes_.resize(list + 1, 14695981039346656037u);
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(float); ++i)
      hashes_[list] = (hashes_[list] ^ bytes[i]) * 1099511628211u;
  }

  std::vector<std::uint64_t> hashes_;
};

// The most memory that this process ever had resident, KiB.
long PeakKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long value = 0;
    if (word == "VmHWM:" && status >> value) return value;
  }
  return -1;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "long_clip: %s\n", status.ToString().c_str());
  return 1;
}

absl::StatusOr<std::unique_ptr<client::Engine>> MakeEngine(const Options& options) {
  if (options.server.empty()) return client::MakeInProcessEngine();
  client::RemoteOptions remote;
  remote.server = options.server;
  return client::MakeRemoteEngine(remote);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int Run(const Options& options) {
  const cli::ClipRequest request;
  const auto clip = cli::OpenClipFile(options.clip, request, 0);
  if (!clip.ok()) return Fail(clip.status());
  if (clip->rows == nullptr) return Fail(absl::InvalidArgumentError("the clip is too long"));
  auto setup = cli::MakeSetup(*clip, request);
  if (!setup.ok()) return Fail(setup.status());
  auto engine = MakeEngine(options);
  if (!engine.ok()) return Fail(engine.status());

  client::ClipCall call;
  call.setup = *setup;
  call.setup.set_frame_count(options.frames);
  call.frame_bytes = clip->FrameBytes();
  call.max_batch_frames = options.batch;
  client::Cancellation never;
  LoopSource source(*clip, options.frames);
  Sink planned, cleaned;

  auto start = std::chrono::steady_clock::now();
  call.setup.set_mode(v1::MODE_PLAN);
  absl::Status status = client::RunClip(**engine, call, source, planned, {}, never);
  if (!status.ok()) return Fail(status);
  const double plan_seconds = SecondsSince(start);

  start = std::chrono::steady_clock::now();
  call.setup.set_mode(v1::MODE_CLEAN);
  call.setup.set_plan_follows(true);
  call.plan = &planned.plan;
  status = client::RunClip(**engine, call, source, cleaned, {}, never);
  if (!status.ok()) return Fail(status);
  int contacts = 0;
  for (const v1::FootPlan& foot : planned.plan.feet()) contacts += foot.intervals_size();
  std::printf(
      "{\"frames\": %lld, \"contacts\": %d, \"hash\": \"%016llx\", \"plan_seconds\": %.3f, "
      "\"clean_seconds\": %.3f, \"peak_kilobytes\": %ld}\n",
      static_cast<long long>(cleaned.frames), contacts,
      static_cast<unsigned long long>(cleaned.hash()), plan_seconds, SecondsSince(start),
      PeakKilobytes());
  return 0;
}

}  // namespace
}  // namespace ikstream

int main(int argc, char** argv) {
  ikstream::Options options;
  CLI::App app("Plans and cleans a clip of any length, made of a looping BVH file");
  app.add_option("clip", options.clip, "A BVH file that loops")->required();
  app.add_option("--frames", options.frames, "Frames in all")->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batch, "Frames per batch; 0: as many as 1 MiB holds");
  app.add_option("--server", options.server, "Host and port; without it in this process");
  CLI11_PARSE(app, argc, argv);
  return ikstream::Run(options);
}
