// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/read.h"

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

absl::StatusOr<Document> ReadAll(FrameReader* reader, const ReadOptions& options) {
  Document document;
  document.header = reader->header();
  document.rows.Clear(0, document.header.channel_count);
  Rows batch;
  do {
    if (absl::Status status = reader->Next(kBatchRows, &batch); !status.ok()) return status;
    const std::size_t bytes = document.header.text.size() + document.rows.text.size();
    absl::Status status = CheckSize(bytes + batch.text.size(), options);
    if (!status.ok()) return status;
    document.rows.Append(batch);
  } while (batch.count() > 0);
  document.warnings = reader->warnings();
  return document;
}

}  // namespace

absl::StatusOr<Document> Read(std::string_view text, const ReadOptions& options) {
  if (absl::Status status = CheckSize(text.size(), options); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<FrameReader>> reader = FrameReader::FromText(text, options);
  if (!reader.ok()) return reader.status();
  return ReadAll(reader->get(), options);
}

absl::StatusOr<Document> ReadFile(const std::string& path, ReadOptions options) {
  options.file_name = path;
  absl::StatusOr<std::unique_ptr<FrameReader>> reader = FrameReader::Open(path, options);
  if (!reader.ok()) return reader.status();
  return ReadAll(reader->get(), options);
}

}  // namespace ikstream::bvh
