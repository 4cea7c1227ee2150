// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "pool/pool.h"

#include <algorithm>
#include <utility>

namespace ikstream {

// The strand behind the interface. Its fields are guarded by the pool's mutex.
class Pool::Line : public Pool::Strand, public std::enable_shared_from_this<Line> {
 public:
  Line(Pool* owner, Priority line_priority, Clock::time_point line_deadline)
      : pool(owner), priority(line_priority), deadline(line_deadline) {}

  bool Submit(Task task, Admit admit) override {
    return pool->Submit(shared_from_this(), std::move(task), admit);
  }
  int Close() override { return pool->Close(*this); }

  Pool* const pool;
  const Priority priority;
  const Clock::time_point deadline;
  std::deque<Entry> entries;
  bool running = false;
  bool ready = false;  // in the pool's ready list
  bool closed = false;
};

Pool::Pool(const Options& options) : options_(options) {
  for (int i = 0; i < std::max(1, options_.workers); ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

Pool::~Pool() { Stop(); }

std::shared_ptr<Pool::Strand> Pool::NewStrand(Priority priority, Clock::time_point deadline) {
  return std::make_shared<Line>(this, priority, deadline);
}

bool Pool::Submit(const std::shared_ptr<Line>& line, Task task, Admit admit) {
  std::lock_guard lock(mutex_);
  if (stopping_ || line->closed) return false;
  if (admit == Admit::kIfRoom && stats_.waiting >= options_.capacity) {
    ++stats_.refused;
    return false;
  }
  line->entries.push_back({std::move(task), Clock::now()});
  ++stats_.waiting;
  if (!line->running && !line->ready) MakeReady(line);
  return true;
}

void Pool::MakeReady(const std::shared_ptr<Line>& line) {
  line->ready = true;
  ready_[static_cast<int>(line->priority)].push_back(line);
  work_.notify_one();
}

int Pool::Close(Line& line) {
  std::deque<Entry> dropped;  // destroyed after the lock: tasks own what they like
  std::lock_guard lock(mutex_);
  line.closed = true;
  dropped.swap(line.entries);
  if (line.ready) {
    ready_[static_cast<int>(line.priority)].remove(line.shared_from_this());
    line.ready = false;
  }
  const auto count = static_cast<int>(dropped.size());
  stats_.waiting -= count;
  stats_.closed += count;
  return count;
}

std::shared_ptr<Pool::Line> Pool::NextLine() {
  auto& interactive = ready_[static_cast<int>(Priority::kInteractive)];
  auto& bulk = ready_[static_cast<int>(Priority::kBulk)];
  const bool bulk_is_due = !bulk.empty() && interactive_turns_ >= options_.interactive_run;
  auto& from = interactive.empty() || bulk_is_due ? bulk : interactive;
  interactive_turns_ = &from == &interactive && !bulk.empty() ? interactive_turns_ + 1 : 0;
  std::shared_ptr<Line> line = std::move(from.front());
  from.pop_front();
  line->ready = false;
  return line;
}

void Pool::RunOne(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Line> line = NextLine();
  Entry entry = std::move(line->entries.front());
  line->entries.pop_front();
  line->running = true;
  --stats_.waiting;
  ++stats_.running;
  const Clock::time_point now = Clock::now();
  const bool expired = now >= line->deadline;
  ++(expired ? stats_.expired : stats_.run);
  lock.unlock();
  entry.task({expired ? Turn::Fate::kExpired : Turn::Fate::kRun, now - entry.since});
  entry.task = nullptr;  // what it owns goes before the lock comes
  lock.lock();
  --stats_.running;
  line->running = false;
  if (!line->entries.empty()) MakeReady(line);
}

void Pool::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return stopping_ || !ready_[0].empty() || !ready_[1].empty(); });
    if (stopping_) return;
    RunOne(lock);
  }
}

void Pool::Stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  std::deque<Entry> left;
  {
    std::lock_guard lock(mutex_);
    for (auto& lines : ready_) {
      for (const auto& line : lines) {
        line->ready = false;
        std::move(line->entries.begin(), line->entries.end(), std::back_inserter(left));
        line->entries.clear();
      }
      lines.clear();
    }
    stats_.waiting = 0;
  }
  const Clock::time_point now = Clock::now();
  for (Entry& entry : left) entry.task({Turn::Fate::kStopped, now - entry.since});
}

Pool::Stats Pool::stats() const {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace ikstream
