// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/files.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cpp/bvh/atomic_file.h"

namespace ikstream::cli {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
constexpr std::size_t kChunk = 1 << 18;

int LeaveOpen(std::FILE*) { return 0; }

absl::StatusOr<File> OpenForReading(const std::string& path) {
  if (path == "-") return File(stdin, LeaveOpen);
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return FileError(absl::StrCat(path, ": ", std::strerror(errno)));
  return file;
}

// Calls `take` with each piece of the file.
template <class Take>
absl::Status ForEachChunk(const std::string& path, Take take) {
  auto file = OpenForReading(path);
  if (!file.ok()) return file.status();
  std::string chunk(kChunk, '\0');
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), file->get())) {
    if (absl::Status status = take(chunk.data(), n); !status.ok()) return status;
  }
  if (std::ferror(file->get())) {
    return FileError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

class Hasher {
 public:
  Hasher() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void Add(const char* data, std::size_t size) { EVP_DigestUpdate(context_.get(), data, size); }
  std::string Hex() {
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
    digest.resize(size);
    return absl::BytesToHexString(digest);
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::string text;
  absl::Status status = ForEachChunk(path, [&](const char* data, std::size_t size) {
    if (static_cast<std::int64_t>(text.size() + size) > kMaxTextBytes) {
      return FileError(absl::StrCat(path, ": more than ", kMaxTextBytes, " bytes"));
    }
    text.append(data, size);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return text;
}

absl::Status WriteText(const std::string& path, const std::string& text) {
  if (path == "-") return Print(text);
  auto file = bvh::AtomicFile::Create(path);
  absl::Status status = file.status();
  if (status.ok()) status = (*file)->Append(text);
  if (status.ok()) status = (*file)->Commit();
  return status.ok() ? status : FileError(std::string(status.message()));
}

absl::Status CopyToStdout(const std::string& path) {
  return ForEachChunk(
      path, [](const char* data, std::size_t size) { return Print(std::string(data, size)); });
}

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  Hasher hasher;
  absl::Status status = ForEachChunk(path, [&](const char* data, std::size_t size) {
    hasher.Add(data, size);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return hasher.Hex();
}

}  // namespace ikstream::cli
