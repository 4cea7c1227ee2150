// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Any bytes as a BVH file: an error with its place, or a document that is the bytes, reads the
// same in batches, survives being written anew, and takes edits.
#include <cmath>
#include <string>
#include <string_view>

#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"
#include "cpp/bvh/facts.h"
#include "cpp/bvh/read.h"
#include "cpp/bvh/write.h"
#include "fuzz/target.h"

namespace ikstream::fuzz {
namespace {

using bvh::Clip;
using bvh::ClipLayout;
using bvh::Document;

bvh::ReadOptions Options(bool strict) {
  bvh::ReadOptions options;
  options.strict = strict;
  options.max_bytes = 1 << 20;
  options.max_header_bytes = options.max_row_bytes = 1 << 18;
  options.max_joints = 256;
  return options;
}

void CheckError(const absl::Status& status) {
  Require(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status),
          status.ToString());
  const std::string text(status.message());
  Require(text.rfind("bvh:", 0) == 0, "no place in: ", text);
}

// Rows in batches of two are the rows of the whole.
void CheckBatches(std::string_view text, const Document& document) {
  auto reader = bvh::FrameReader::FromText(text, Options(false));
  Require(reader.ok(), "a reader refuses what Read takes");
  bvh::Rows all, some;
  all.Clear(0, document.header.channel_count);
  do {
    Require((*reader)->Next(2, &some).ok(), "a reader refuses rows that Read takes");
    all.Append(some);
  } while (some.count() > 0);
  Require(all.values == document.rows.values, "values differ by the size of the batch");
  Require(all.text == document.rows.text, "text differs by the size of the batch");
}

// Written from plain data, the file says the same numbers.
void CheckWritten(const Document& document) {
  const auto text = bvh::Format(document.header, document.rows, {.decimals = -1});
  if (!text.ok()) {
    Require(absl::IsInvalidArgument(text.status()), text.status().ToString());
    return;
  }
  auto options = Options(false);
  options.max_bytes = options.max_header_bytes = options.max_row_bytes = 1 << 24;
  const auto again = bvh::Read(*text, options);
  Require(again.ok(), "what was written is refused: ", again.status().ToString());
  Require(again->rows.values == document.rows.values, "written values differ");
  Require(again->header.joints.size() == document.header.joints.size(),
          "written joints differ");
}

void CheckClip(const Document& document, const ClipLayout& layout, const Clip& clip) {
  const size_t frames = static_cast<size_t>(document.rows.count());
  Require(clip.local_rotations.size() == 4 * frames * layout.joints.size(), "rotations' size");
  for (float x : clip.local_rotations)
    Require(std::isfinite(x) && std::abs(x) <= 1.001f, "a rotation is not a unit quaternion");
}

// What is sent back unchanged is the source; what is turned reads back.
void CheckEdits(const Document& document, const ClipLayout& layout, const Clip& clip) {
  Document edited = document;
  const bvh::Edits same{.frame_count = clip.frame_count,
                        .root_positions = clip.root_positions,
                        .local_rotations = clip.local_rotations,
                        .local_translations = clip.local_translations};
  const auto report = bvh::Apply(layout, same, &edited);
  if (!report.ok()) {
    // A position beyond what a float holds cannot be sent back.
    Require(absl::IsInvalidArgument(report.status()), report.status().ToString());
    return;
  }
  Require(edited.rows.text == document.rows.text, "unchanged values changed the text");
  std::vector<float> turned = clip.local_rotations;
  for (size_t i = 0; i < turned.size(); i += 4) {
    const float x = turned[i], w = turned[i + 3];
    turned[i] = 0.6f * w + 0.8f * x, turned[i + 3] = 0.8f * w - 0.6f * x;
    const float y = turned[i + 1], z = turned[i + 2];
    turned[i + 1] = 0.8f * y - 0.6f * z, turned[i + 2] = 0.8f * z + 0.6f * y;
  }
  const auto applied =
      bvh::Apply(layout, {.frame_count = clip.frame_count, .local_rotations = turned}, &edited);
  Require(applied.ok(), "a turn is refused: ", applied.status().ToString());
  const auto again = bvh::Read(edited.header.text + edited.rows.text, Options(false));
  Require(again.ok() || edited.rows.text.size() > 1 << 16,
          "an edited file is refused: ", again.status().ToString());
  if (again.ok()) Require(again->rows.values == edited.rows.values, "edited values differ");
}

}  // namespace

void FuzzOne(std::span<const std::uint8_t> data) {
  const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
  const auto strict = bvh::Read(text, Options(true));
  const auto document = bvh::Read(text, Options(false));
  if (!strict.ok()) CheckError(strict.status());
  if (!document.ok()) {
    CheckError(document.status());
    Require(!strict.ok(), "strict reading takes what lenient reading refuses");
    return;
  }
  Require(document->header.text + document->rows.text == text, "the text is not kept");
  CheckBatches(text, *document);
  CheckWritten(*document);
  const auto layout = bvh::MakeLayout(document->header, document->rows);
  Require(layout.ok(), layout.status().ToString());
  const Clip clip = bvh::ToClip(document->header, *layout, document->rows);
  CheckClip(*document, *layout, clip);
  CheckEdits(*document, *layout, clip);
}

}  // namespace ikstream::fuzz
