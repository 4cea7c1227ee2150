// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A BVH file as plain data: its header, its rows, and the characters it was written with.
//
// Reading and writing are functions over these types (read.h, write.h); turning rows into
// packed rotations and back is clip.h and edit.h. Angles are in degrees, lengths in the
// file's own unit, everything in the file's own axes: nothing is scaled or turned here.
// Thread safety: plain values, safe for concurrent reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace ikstream::bvh {

// Three positions, then three rotations, so that AxisOf() is the value modulo 3.
enum class Channel : std::uint8_t {
  kXPosition,
  kYPosition,
  kZPosition,
  kXRotation,
  kYRotation,
  kZRotation
};

constexpr int AxisOf(Channel channel) { return static_cast<int>(channel) % 3; }
constexpr bool IsRotation(Channel channel) { return channel >= Channel::kXRotation; }
// "Xposition" ... "Zrotation", as most exporters spell them.
std::string_view ChannelName(Channel channel);

struct Joint {
  std::string name;       // as written; duplicates and spaces occur in real files
  int parent = -1;        // index into Header::joints, always smaller than the joint's own
  int depth = 0;          // 0 for the root
  int first_channel = 0;  // column of channels[0] in a row
  std::array<double, 3> offset = {0, 0, 0};
  std::vector<Channel> channels;                  // in file order, each at most once
  std::optional<std::array<double, 3>> end_site;  // a leaf may lack one
};

// All that stands before the first row.
struct Header {
  std::vector<Joint> joints;         // in file order: depth first, [0] is the root
  int channel_count = 0;             // numbers in a row, >= 1 in a header that was read
  std::int64_t declared_frames = 0;  // what the file says; the rows decide
  double frame_time = 0;             // seconds; ReadOptions::fps overrides it
  std::string frame_time_text;       // as written, so that 23.976 fps survives

  // The file's own bytes up to the first row, byte order mark and line ends included, and
  // where in them the number after "Frames:" stands. Empty when not read from a file.
  std::string text;
  std::size_t frames_pos = 0;
  std::size_t frames_size = 0;

  double fps() const { return 1.0 / frame_time; }
};

// A run of consecutive rows, with the bytes they came from.
//
// text is the rows' own bytes, each with its line end and any blank lines after it, so that
// Header::text and the text of all rows, joined, are the file. Row i begins at starts[i].
struct Rows {
  std::int64_t first_frame = 0;
  int channel_count = 0;
  std::vector<double> values;  // count() x channel_count, frame-major
  std::string text;
  std::vector<std::size_t> starts;

  std::int64_t count() const { return static_cast<std::int64_t>(starts.size()); }
  std::int64_t end_frame() const { return first_frame + count(); }
  // REQUIRES: 0 <= i < count().
  std::span<const double> row(std::int64_t i) const;
  std::string_view row_text(std::int64_t i) const;

  // Keeps the memory, forgets the rows.
  void Clear(std::int64_t first, int channels);
  // REQUIRES: other starts where this ends and has as many channels.
  void Append(const Rows& other);
  // A copy of rows [begin, end), counted from the first one here. REQUIRES: they are here.
  Rows Slice(std::int64_t begin, std::int64_t end) const;
  // Splits off the first n rows (all when there are fewer), for batches of another size.
  Rows TakeFront(std::int64_t n);
};

// A whole file in memory.
struct Document {
  Header header;
  Rows rows;
  std::vector<std::string> warnings;  // "file:line:column: ..." in the order of the file
};

// The header's bytes with another number after "Frames:".
std::string HeaderTextWithFrames(const Header& header, std::int64_t frames);

// Checks what a header must satisfy that did not come from a file: depth-first order of the
// joints, each channel once, columns that count up, finite offsets, a frame time above 0.
absl::Status Validate(const Header& header);

}  // namespace ikstream::bvh
