// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/console.h"

namespace ikstream::cli {
namespace {

constexpr int kWidth = 30;
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

Progress::Progress(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (enabled_) ShowStatusLine("");
}

void Progress::AddTotal(std::int64_t units) {
  std::lock_guard<std::mutex> lock(mutex_);
  total_ += units;
}

void Progress::Add(std::int64_t units) {
  std::lock_guard<std::mutex> lock(mutex_);
  done_ += units;
  Draw();
}

void Progress::SetText(std::string text) {
  std::lock_guard<std::mutex> lock(mutex_);
  text_ = std::move(text);
  Draw();
}

void Progress::Draw() {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now - drawn_ < kInterval) return;
  drawn_ = now;
  const double share = std::clamp(
      static_cast<double>(done_) / static_cast<double>(std::max<std::int64_t>(total_, 1)), 0.0,
      1.0);
  const int full = static_cast<int>(share * kWidth);
  ShowStatusLine(absl::StrCat("[", std::string(full, '#'), std::string(kWidth - full, '.'),
                              "] ", static_cast<int>(100 * share), "% ", text_));
}

}  // namespace ikstream::cli
