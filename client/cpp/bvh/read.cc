// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/read.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

constexpr std::int64_t kBatchRows = 256;

absl::Status CheckSize(std::size_t bytes, const ReadOptions& options) {
  if (bytes <= options.max_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      Cat(options.file_name, ": larger than the limit of ", options.max_bytes, " bytes"));
}

// Room for all rows, as far as the first ones and the bytes that are there let it be known.
void Reserve(std::size_t bytes, Rows* rows) {
  const std::size_t count = bytes / (rows->text.size() / rows->starts.size()) + 1;
  rows->text.reserve(bytes);
  rows->starts.reserve(count);
  rows->values.reserve(count * static_cast<std::size_t>(rows->channel_count));
}

// bytes: the size of the text, 0 where it is not known.
absl::StatusOr<Document> ReadAll(FrameReader* reader, std::size_t bytes,
                                 const ReadOptions& options) {
  Document document;
  document.header = reader->header();
  document.rows.Clear(0, document.header.channel_count);
  Rows batch;
  do {
    if (absl::Status status = reader->Next(kBatchRows, &batch); !status.ok()) return status;
    const std::size_t size = document.header.text.size() + document.rows.text.size();
    absl::Status status = CheckSize(size + batch.text.size(), options);
    if (!status.ok()) return status;
    document.rows.Append(batch);
    if (document.rows.count() == kBatchRows && bytes != 0) Reserve(bytes, &document.rows);
  } while (batch.count() > 0);
  document.warnings = reader->warnings();
  return document;
}

}  // namespace

absl::StatusOr<Document> Read(std::string_view text, const ReadOptions& options) {
  if (absl::Status status = CheckSize(text.size(), options); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<FrameReader>> reader = FrameReader::FromText(text, options);
  if (!reader.ok()) return reader.status();
  return ReadAll(reader->get(), text.size(), options);
}

absl::StatusOr<Document> ReadFile(const std::string& path, ReadOptions options) {
  options.file_name = path;
  absl::StatusOr<std::unique_ptr<FrameReader>> reader = FrameReader::Open(path, options);
  if (!reader.ok()) return reader.status();
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  const bool known = !error && bytes <= options.max_bytes;
  return ReadAll(reader->get(), known ? bytes : 0, options);
}

}  // namespace ikstream::bvh
