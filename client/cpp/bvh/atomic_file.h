// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A file that appears under its name only when it is complete.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace ikstream::bvh {

// Writes beside the target, without a name where the file system can do that, else under a
// hidden name of its own, and renames on Commit(). A reader of the target sees the old file or
// the whole new one, whatever happens, and a killed process leaves a hidden file at most; a
// target that exists keeps its permissions, a symbolic link stays one. Not thread safe; two
// writers of one target do not disturb each other, the later Commit() wins.
class AtomicFile {
 public:
  // Fails where the folder cannot be written or path is there and is no regular file.
  static absl::StatusOr<std::unique_ptr<AtomicFile>> Create(const std::string& path);

  // Removes what was written unless it was committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  absl::Status Append(std::string_view bytes);

  // Flushes to disk and renames. After it, and after an error, nothing more can be written.
  absl::Status Commit();

 private:
  AtomicFile(std::string target, std::string temporary, int fd);
  absl::Status Flush();
  absl::Status WriteAll(std::string_view bytes);
  absl::Status Fail(std::string_view what);
  void Discard();
  bool Name();

  std::string target_;
  std::string temporary_;  // empty: it has no name yet
  int fd_;                 // -1: committed or given up
  std::string buffer_;
};

}  // namespace ikstream::bvh
