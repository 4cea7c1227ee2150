// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// bvh_bench: how fast BVH is read and written, MB/s of text and seconds of one thread's CPU. A
// seeded clip of 31 joints with six decimals; the best of several runs.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/read.h"
#include "cpp/bvh/write.h"

namespace ikstream::bvh {
namespace {

constexpr int kJoints = 31, kFrames = 4000, kRuns = 7;
constexpr std::int64_t kRowsAtOnce = 256;

Header MakeHeader() {
  Header header;
  for (int j = 0; j < kJoints; ++j) {
    Joint joint;
    joint.name = "joint" + std::to_string(j);
    joint.parent = j - 1;
    joint.depth = j;
    joint.first_channel = header.channel_count;
    joint.offset = {0, 0.1, 0};
    if (j == 0)
      joint.channels = {Channel::kXPosition, Channel::kYPosition, Channel::kZPosition};
    for (Channel c : {Channel::kZRotation, Channel::kXRotation, Channel::kYRotation})
      joint.channels.push_back(c);
    header.channel_count += static_cast<int>(joint.channels.size());
    header.joints.push_back(joint);
  }
  header.frame_time = 1.0 / 120;
  return header;
}

std::string MakeText() {
  const Header header = MakeHeader();
  std::mt19937 random(1);
  Rows rows;
  rows.Clear(0, header.channel_count);
  std::vector<double> value(static_cast<std::size_t>(header.channel_count));
  for (int f = 0; f < kFrames; ++f) {
    rows.starts.push_back(0);
    for (double& v : value) {
      v += static_cast<double>(random() % 2001) / 1000 - 1;
      rows.values.push_back(v);
    }
  }
  return *Format(header, rows);
}

// On a shared machine the clock on the wall counts others' turns, too.
double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
void Measure(const char* what, std::size_t bytes, Work work) {
  double best = 1e30;
  for (int run = 0; run < kRuns; ++run) {
    const double start = ThreadSeconds();
    work();
    best = std::min(best, ThreadSeconds() - start);
  }
  std::printf("%-34s %8.0f MB/s\n", what, static_cast<double>(bytes) / best / 1e6);
}

void Check(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bvh_bench: %s\n", status.ToString().c_str());
  std::exit(1);
}

void ReadAll(const std::string& text) {
  auto reader = FrameReader::FromText(text);
  Check(reader.status());
  Rows rows;
  do {
    Check((*reader)->Next(kRowsAtOnce, &rows));
  } while (rows.count() > 0);
}

// A batch of the document and what is to be written for it.
struct Batch {
  Rows rows;
  std::vector<float> rotations;
};

// Batches in which the first `changed` joints are turned a little.
std::vector<Batch> MakeBatches(const Document& document, const ClipLayout& layout,
                               int changed) {
  std::vector<Batch> batches;
  for (std::int64_t begin = 0; begin < document.rows.count(); begin += kRowsAtOnce) {
    const std::int64_t end = std::min(document.rows.count(), begin + kRowsAtOnce);
    Batch& batch = batches.emplace_back();
    batch.rows = document.rows.Slice(begin, end);
    const Clip clip = ToClip(document.header, layout, batch.rows);
    for (std::int64_t f = 0; f < end - begin; ++f)
      for (int j = 0; j < changed; ++j) {
        const float* q = &clip.local_rotations[static_cast<std::size_t>(4 * (kJoints * f + j))];
        for (int k = 0; k < 4; ++k) batch.rotations.push_back(k == 0 ? q[k] + 0.01f : q[k]);
      }
  }
  return batches;
}

void WriteAll(const Document& document, const ClipLayout& layout, const std::string& path,
              const std::vector<Batch>& batches, const std::vector<int>& joints) {
  auto writer = Writer::Create(path, document.header, layout, document.rows);
  Check(writer.status());
  for (const Batch& batch : batches) {
    Edits edits;
    if (!joints.empty()) {
      edits.first_frame = batch.rows.first_frame;
      edits.frame_count = batch.rows.count();
      edits.joints = joints;
      edits.local_rotations = batch.rotations;
    }
    Check((*writer)->Write(batch.rows, edits));
  }
  Check((*writer)->Commit());
}

int Run() {
  const std::string text = MakeText();
  Measure("read", text.size(), [&] { ReadAll(text); });
  auto document = Read(text);
  Check(document.status());
  const auto layout = MakeLayout(document->header, document->rows);
  Check(layout.status());
  Measure("read and packed", text.size(), [&] {
    ReadAll(text);
    ToClip(document->header, *layout, document->rows);
  });
  const std::string path =
      (std::filesystem::temp_directory_path() / "ikstream_bvh_bench.bvh").string();
  for (int changed : {0, 7, kJoints}) {
    const std::string what = "written, " + std::to_string(changed) + " joints changed";
    const std::vector<Batch> batches = MakeBatches(*document, *layout, changed);
    std::vector<int> joints(static_cast<std::size_t>(changed));
    std::iota(joints.begin(), joints.end(), 0);
    Measure(what.c_str(), text.size(),
            [&] { WriteAll(*document, *layout, path, batches, joints); });
  }
  std::filesystem::remove(path);
  return 0;
}

}  // namespace
}  // namespace ikstream::bvh

int main() { return ikstream::bvh::Run(); }
