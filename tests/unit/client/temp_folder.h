// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A folder of its own for a test, removed at its end.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace ikstream {

class TempFolder {
 public:
  TempFolder() {
    // mkdtemp puts its own letters in place of six X.
    std::string name =
        (std::filesystem::temp_directory_path() / "ikstream-").string() + std::string(6, 'X');
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  // Writes a file and the folders above it; returns its path.
  std::string Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ikstream
