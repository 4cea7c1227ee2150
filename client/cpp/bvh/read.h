// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Reads BVH text. What real files contain is accepted: any channel order, mixed counts per
// joint, names with spaces, tabs, CRLF, blank lines, a byte order mark, numbers with any
// exponent, a leaf without End Site. What is broken is an error at its place:
// "file:line:column: expected X, found Y" (INVALID_ARGUMENT). A row is one line.
//
// Lenient (the default), these are warnings, strict they are errors:
//   - a Frames count that disagrees with the rows: the rows win;
//   - a joint without CHANNELS: it has none; a second End Site: the first is kept.
// Duplicate joint names are a warning in both. Several ROOTs are always an error.
// Numbers do not depend on the locale. Functions here may be called from any thread; one
// FrameReader belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cpp/bvh/bvh.h"

namespace ikstream::bvh {

struct ReadOptions {
  bool strict = false;
  // Stands before the line in messages.
  std::string file_name = "bvh";
  // Replaces Frame Time where the file's is wrong or not above 0. The header's own text,
  // and so what is written back, keeps the file's.
  std::optional<double> fps = std::nullopt;

  // What exceeds these is an error before it costs memory.
  std::size_t max_bytes = std::size_t{1} << 30;  // of the text of a whole Document
  std::size_t max_header_bytes = std::size_t{16} << 20;
  std::size_t max_row_bytes = std::size_t{4} << 20;
  int max_joints = 4096;
};

// Reads a whole file. Memory is the text plus 8 bytes per number.
absl::StatusOr<Document> Read(std::string_view text, const ReadOptions& options = {});

// The same from a path, which is then options.file_name. NOT_FOUND and the like when the
// file cannot be opened.
absl::StatusOr<Document> ReadFile(const std::string& path, ReadOptions options = {});

// Reads a file of any length in bounded memory: the header, then rows in batches.
class FrameReader {
 public:
  static absl::StatusOr<std::unique_ptr<FrameReader>> Open(const std::string& path,
                                                           ReadOptions options = {});
  // REQUIRES: text outlives the reader.
  static absl::StatusOr<std::unique_ptr<FrameReader>> FromText(std::string_view text,
                                                               const ReadOptions& options = {});
  ~FrameReader();

  const Header& header() const;

  // Replaces *rows by the next rows, at most max_rows; none at the end of the file. What is
  // wrong with a row, or with the number of rows, is told when it is reached; after an
  // error the reader repeats it.
  absl::Status Next(std::int64_t max_rows, Rows* rows);

  // Those met so far; complete once Next() has returned no rows.
  const std::vector<std::string>& warnings() const;

 private:
  class Impl;
  explicit FrameReader(std::unique_ptr<Impl> impl);
  static absl::StatusOr<std::unique_ptr<FrameReader>> Start(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace ikstream::bvh
