// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A BVH file as a clip to be sent: read through once, checked, and described.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/clip_options.h"
#include "cpp/bvh/bvh.h"
#include "cpp/bvh/clip.h"
#include "cpp/bvh/facts.h"
#include "ikstream/v1/service.pb.h"

namespace ikstream::cli {

struct ClipFile {
  std::string path;
  std::string sha256;
  bvh::ReadOptions read;
  bvh::Header header;
  bvh::ClipLayout layout;
  bvh::Rows head;  // the first rows, at least bvh::kSampleRows where there are so many
  bvh::Rows tail;  // as many of the last ones
  // All rows, where they take little memory; else null.
  std::shared_ptr<const bvh::Rows> rows;
  std::int64_t frames = 0;
  std::vector<std::string> warnings;
  v1::UpAxis up = v1::UP_AXIS_UNSPECIFIED;
  std::string up_why;
  std::vector<v1::PlatformTrack> platforms;  // over all frames, or at rest

  // Bytes of a frame on the wire.
  int FrameBytes() const;
};

// Reads `path` to its end without keeping it, but for `kept_rows` rows at each end. What is
// wrong anywhere in the file is told here, before anything is sent. An up axis that is unclear
// is an error that names --up.
absl::StatusOr<ClipFile> OpenClipFile(const std::string& path, const ClipRequest& request,
                                      std::int64_t kept_rows);

// The skeleton on the wire: joints in the order of the file.
v1::Skeleton ToSkeleton(const ClipFile& clip);

// The setup without mode, plan, contacts and leads.
absl::StatusOr<v1::Setup> MakeSetup(const ClipFile& clip, const ClipRequest& request);

}  // namespace ikstream::cli
