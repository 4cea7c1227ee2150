// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Writes BVH: a file that was read, with edits, or a new one from plain data. Numbers have
// a '.' whatever the locale. A file that was read and is written without edits is the same,
// byte for byte.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cpp/bvh/atomic_file.h"
#include "cpp/bvh/bvh.h"
#include "cpp/bvh/clip.h"
#include "cpp/bvh/edit.h"

namespace ikstream::bvh {

struct WriteOptions {
  // Written after "Frames:" instead of the source's own number: for a file whose count was
  // wrong, or when only some of its rows are written.
  std::optional<std::int64_t> frames = std::nullopt;
};

// Writes a source file's rows, with edits, batch by batch in bounded memory. The target
// appears with Commit(); a writer destroyed before it leaves nothing (atomic_file.h).
// Not thread safe.
class Writer {
 public:
  // sample: the file's first rows, for the number of decimals (WrittenDecimals).
  static absl::StatusOr<std::unique_ptr<Writer>> Create(const std::string& path,
                                                        const Header& header,
                                                        const ClipLayout& layout,
                                                        const Rows& sample,
                                                        const WriteOptions& options = {});

  // As RowEditor::Edit. After an error the writer can only be destroyed.
  absl::Status Write(const Rows& source, const Edits& edits = {});

  absl::Status Commit();

  const EditReport& report() const { return editor_.report(); }

 private:
  Writer(std::unique_ptr<AtomicFile> file, const Header& header, const ClipLayout& layout,
         int decimals);

  std::unique_ptr<AtomicFile> file_;
  const Header header_;
  const ClipLayout layout_;
  RowEditor editor_;
  Rows edited_;
};

// Writes a whole document, by way of an AtomicFile. Its bytes are header.text and rows.text.
absl::Status WriteFile(const std::string& path, const Document& document);

struct FormatOptions {
  int decimals = 6;  // 0 to 15; -1: the fewest characters that read back the same
  std::string newline = "\n";
};

// A file from plain data: text and declared_frames of the document are not used. The frame
// time is frame_time_text where there is one. INVALID_ARGUMENT where Validate() fails, a
// value is beyond +-1e9, or a name could not be read back.
absl::StatusOr<std::string> Format(const Header& header, const Rows& rows,
                                   const FormatOptions& options = {});

}  // namespace ikstream::bvh
