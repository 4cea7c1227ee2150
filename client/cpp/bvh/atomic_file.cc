// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cpp/bvh/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cpp/bvh/text.h"

namespace ikstream::bvh {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 18;

// Where the bytes shall really be: behind symbolic links.
absl::StatusOr<fs::path> ResolveTarget(const std::string& path) {
  std::error_code error;
  fs::path target = path;
  if (fs::is_symlink(fs::symlink_status(target, error))) {
    target = fs::weakly_canonical(target, error);
    if (error) {
      return absl::InvalidArgumentError(Cat("cannot write ", path, ": ", error.message()));
    }
  }
  if (target.filename().empty()) {
    return absl::InvalidArgumentError(Cat("cannot write ", path, ": not a file name"));
  }
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return absl::InvalidArgumentError(
        Cat("cannot write ", path, ": it is there and not a regular file"));
  }
  return target;
}

// Calls `make` with hidden names beside the target until it does not say that one is taken.
template <class Make>
int WithNameBeside(const fs::path& target, std::string* temporary, Make make) {
  static std::atomic<unsigned> counter{0};
  constexpr int kTries = 100;
  int result = -1;
  for (int i = 0; i < kTries; ++i) {
    const std::string name =
        Cat(".", target.filename().string(), ".", getpid(), ".", counter++, ".tmp");
    *temporary = (target.parent_path() / name).string();
    result = make(temporary->c_str());
    if (result >= 0 || errno != EEXIST) break;
  }
  return result;
}

// Opens a new file beside the target; the umask applies as to any new file.
int OpenBeside(const fs::path& target, std::string* temporary) {
  return WithNameBeside(target, temporary, [](const char* name) {
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

std::string ProcPath(int fd) { return Cat("/proc/self/fd/", fd); }

// Opens a file that has no name yet in the target's folder, so that nothing is left of it when
// the process is killed. -1 where that cannot be had: some network file systems, no /proc.
int OpenNameless(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const int fd = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (fd < 0 || access(ProcPath(fd).c_str(), F_OK) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string target, std::string temporary, int fd)
    : target_(std::move(target)), temporary_(std::move(temporary)), fd_(fd) {
  buffer_.reserve(kBuffer);
}

AtomicFile::~AtomicFile() { Discard(); }

absl::StatusOr<std::unique_ptr<AtomicFile>> AtomicFile::Create(const std::string& path) {
  absl::StatusOr<fs::path> target = ResolveTarget(path);
  if (!target.ok()) return target.status();
  std::string temporary;
  int fd = OpenNameless(*target);
  if (fd < 0) fd = OpenBeside(*target, &temporary);
  if (fd < 0) return absl::ErrnoToStatus(errno, Cat("cannot write ", temporary));
  struct stat existing;
  if (stat(target->c_str(), &existing) == 0) fchmod(fd, existing.st_mode & 07777);
  return std::unique_ptr<AtomicFile>(new AtomicFile(target->string(), temporary, fd));
}

void AtomicFile::Discard() {
  if (fd_ < 0) return;
  close(std::exchange(fd_, -1));
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status AtomicFile::Fail(std::string_view what) {
  absl::Status status = absl::ErrnoToStatus(errno, Cat("cannot ", what, " ", target_));
  Discard();
  return status;
}

absl::Status AtomicFile::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd_, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Fail("write");
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::Flush() {
  absl::Status status = WriteAll(buffer_);
  buffer_.clear();
  return status;
}

absl::Status AtomicFile::Append(std::string_view bytes) {
  if (fd_ < 0) return absl::FailedPreconditionError(Cat(target_, " is closed"));
  if (buffer_.size() + bytes.size() > kBuffer) {
    if (absl::Status status = Flush(); !status.ok()) return status;
  }
  if (bytes.size() >= kBuffer) return WriteAll(bytes);
  buffer_.append(bytes);
  return absl::OkStatus();
}

// Gives a nameless file a hidden name, by which it can take the place of another one.
bool AtomicFile::Name() {
  if (!temporary_.empty()) return true;
  const std::string file = ProcPath(fd_);
  std::string name;
  const int linked = WithNameBeside(target_, &name, [&file](const char* at) {
    return linkat(AT_FDCWD, file.c_str(), AT_FDCWD, at, AT_SYMLINK_FOLLOW);
  });
  if (linked == 0) temporary_ = std::move(name);
  return linked == 0;
}

absl::Status AtomicFile::Commit() {
  if (fd_ < 0) return absl::FailedPreconditionError(Cat(target_, " is closed"));
  if (absl::Status status = Flush(); !status.ok()) return status;
  // Without this a crash of the machine could leave the new name with no bytes behind it.
  if (fsync(fd_) != 0) return Fail("flush");
  if (!Name()) return Fail("name");
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return Fail("rename to");
  close(std::exchange(fd_, -1));
  return absl::OkStatus();
}

}  // namespace ikstream::bvh
