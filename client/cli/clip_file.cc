// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/clip_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/exit_code.h"
#include "cli/feet.h"
#include "cli/files.h"
#include "cli/platform_file.h"

namespace ikstream::cli {
namespace {

constexpr std::int64_t kRowsAtOnce = 256;
// Rows are kept between the passes over a clip up to this, text and numbers.
constexpr std::size_t kMostKeptBytes = std::size_t{48} << 20;

std::size_t BytesOf(const bvh::Rows& rows) {
  return rows.text.size() + rows.values.size() * sizeof(double);
}

v1::Vec3 ToVec3(const std::array<double, 3>& v) {
  v1::Vec3 out;
  out.set_x(static_cast<float>(v[0]));
  out.set_y(static_cast<float>(v[1]));
  out.set_z(static_cast<float>(v[2]));
  return out;
}

// Keeps the last `kept` of the rows seen so far.
void KeepTail(const bvh::Rows& rows, std::int64_t kept, bvh::Rows& tail) {
  if (tail.count() == 0) tail.Clear(rows.first_frame, rows.channel_count);
  tail.Append(rows);
  if (tail.count() > kept) tail.TakeFront(tail.count() - kept);
}

// The last rows of a file, and all of them where they take little memory.
class KeptRows {
 public:
  KeptRows(const std::string& path, std::int64_t tail) : tail_count_(tail) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (!error) file_bytes_ = static_cast<double>(bytes);
  }

  void Add(const bvh::Rows& rows) {
    if (first_) Begin(rows);
    first_ = false;
    if (all_ == nullptr) return KeepTail(rows, tail_count_, tail_);
    all_->Append(rows);
    if (BytesOf(*all_) <= kMostKeptBytes) return;
    tail_ = LastOf(*all_);
    all_ = nullptr;
  }

  void MoveTo(ClipFile& clip) {
    clip.tail = all_ != nullptr ? LastOf(*all_) : std::move(tail_);
    clip.rows = std::move(all_);
  }

 private:
  // Makes room for as many rows as the first ones promise, or keeps none.
  void Begin(const bvh::Rows& rows) {
    const double more = 1.05 * file_bytes_ / static_cast<double>(rows.text.size());
    if (more * static_cast<double>(BytesOf(rows)) > static_cast<double>(kMostKeptBytes)) return;
    all_ = std::make_shared<bvh::Rows>();
    all_->Clear(rows.first_frame, rows.channel_count);
    all_->text.reserve(static_cast<std::size_t>(file_bytes_));
    const auto count = static_cast<std::size_t>(more * static_cast<double>(rows.count()));
    all_->starts.reserve(count);
    all_->values.reserve(count * static_cast<std::size_t>(rows.channel_count));
  }

  bvh::Rows LastOf(const bvh::Rows& rows) const {
    return rows.Slice(std::max<std::int64_t>(0, rows.count() - tail_count_), rows.count());
  }

  const std::int64_t tail_count_;
  double file_bytes_ = 0;
  bool first_ = true;
  std::shared_ptr<bvh::Rows> all_;
  bvh::Rows tail_;
};

absl::Status ReadThrough(const std::string& path, std::int64_t kept, ClipFile& clip) {
  auto reader = bvh::FrameReader::Open(path, clip.read);
  if (!reader.ok()) return reader.status();
  clip.header = (*reader)->header();
  clip.head.Clear(0, clip.header.channel_count);
  KeptRows keeper(path, kept);
  bvh::Rows rows;
  while (true) {
    const std::int64_t wanted = clip.head.count() < kept
                                    ? std::min(kept - clip.head.count(), kRowsAtOnce)
                                    : kRowsAtOnce;
    if (absl::Status status = (*reader)->Next(wanted, &rows); !status.ok()) return status;
    if (rows.count() == 0) break;
    clip.frames += rows.count();
    if (clip.head.count() < kept) clip.head.Append(rows);
    keeper.Add(rows);
  }
  keeper.MoveTo(clip);
  clip.warnings = (*reader)->warnings();
  return absl::OkStatus();
}

absl::Status FindUp(const ClipRequest& request, ClipFile& clip) {
  if (request.up) {
    clip.up = *request.up;
    clip.up_why = "given";
    return absl::OkStatus();
  }
  const bvh::RigFacts facts = bvh::MeasureRig(clip.header, clip.layout, clip.head);
  clip.up_why = facts.why;
  if (facts.up == bvh::UpAxis::kUnclear) {
    return absl::InvalidArgumentError(absl::StrCat(clip.path, ": which axis is up is unclear (",
                                                   facts.why, "); say --up y or --up z"));
  }
  clip.up = facts.up == bvh::UpAxis::kZ ? v1::UP_AXIS_Z : v1::UP_AXIS_Y;
  return absl::OkStatus();
}

}  // namespace

int ClipFile::FrameBytes() const {
  const std::size_t values = 3 + 4 * header.joints.size() + 3 * layout.translated_joints.size();
  return static_cast<int>(values * sizeof(float));
}

absl::StatusOr<ClipFile> OpenClipFile(const std::string& path, const ClipRequest& request,
                                      std::int64_t kept_rows) {
  ClipFile clip;
  clip.path = path;
  clip.read = request.read;
  clip.read.file_name = path;
  auto hash = Sha256OfFile(path);
  if (!hash.ok()) return hash.status();
  clip.sha256 = *std::move(hash);
  const std::int64_t kept = std::max(kept_rows, bvh::kSampleRows);
  if (absl::Status status = ReadThrough(path, kept, clip); !status.ok()) return status;
  auto layout = bvh::MakeLayout(clip.header, clip.head, request.positions);
  if (!layout.ok()) return layout.status();
  clip.layout = *std::move(layout);
  if (absl::Status status = FindUp(request, clip); !status.ok()) return status;
  clip.platforms = request.platforms;
  if (absl::Status status = CheckPlatforms(clip.platforms, clip.frames); !status.ok()) {
    return status;
  }
  return clip;
}

v1::Skeleton ToSkeleton(const ClipFile& clip) {
  v1::Skeleton skeleton;
  for (const bvh::Joint& joint : clip.header.joints) {
    v1::Joint& out = *skeleton.add_joints();
    out.set_name(joint.name);
    if (joint.parent >= 0) out.set_parent(joint.parent);
    *out.mutable_offset() = ToVec3(joint.offset);
    if (joint.end_site) *out.mutable_tip() = ToVec3(*joint.end_site);
  }
  return skeleton;
}

absl::StatusOr<v1::Setup> MakeSetup(const ClipFile& clip, const ClipRequest& request) {
  v1::Setup setup;
  v1::Rig& rig = *setup.mutable_rig();
  *rig.mutable_skeleton() = ToSkeleton(clip);
  rig.set_up(clip.up);
  if (request.units_per_metre) {
    rig.set_units_per_metre(static_cast<float>(*request.units_per_metre));
  }
  if (request.terrain) *rig.mutable_terrain() = *request.terrain;
  rig.set_find_feet(request.feet.empty());
  for (const FootOption& foot : request.feet) {
    auto resolved = ResolveFoot(foot, rig.skeleton());
    if (!resolved.ok()) return resolved.status();
    *rig.add_feet() = *std::move(resolved);
  }
  setup.set_frames_per_second(clip.header.fps());
  for (const int joint : clip.layout.translated_joints) setup.add_translated_joints(joint);
  *setup.mutable_cleanup() = request.settings;
  setup.set_profile(request.profile);
  setup.set_source_sha256(clip.sha256);
  setup.set_priority(v1::PRIORITY_BULK);
  return setup;
}

}  // namespace ikstream::cli
