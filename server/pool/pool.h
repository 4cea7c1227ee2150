// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Worker threads that share their time fairly between calls.
//
//   auto strand = pool.NewStrand(Pool::Priority::kBulk, deadline);
//   if (!strand->Submit(task, Pool::Admit::kIfRoom)) refuse the call
//   strand->Submit(next, Pool::Admit::kAlways);     // later parts of the same call
//
// A strand is one call's line of tasks: they run in order, one at a time, on any worker.
// Strands that have work take turns, one task each; interactive strands go first, yet bulk gets
// one turn in `interactive_run` + 1 while both wait. A task that runs is never interrupted:
// long work asks its own stop signal.
//
// Bounds: `capacity` tasks may wait when a call begins; later tasks of a call that was let in
// always find room, so a strand's owner bounds its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ikstream {

class Pool {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Priority { kInteractive, kBulk };
  enum class Admit { kIfRoom, kAlways };

  struct Options {
    int workers = 1;
    int capacity = 1024;
    int interactive_run = 8;
  };

  // What a task learns when its turn comes. Only kRun means work: the other fates tell the
  // owner that the work was dropped.
  struct Turn {
    enum class Fate { kRun, kExpired, kStopped };
    Fate fate = Fate::kRun;
    Clock::duration waited{};
  };

  // Called exactly once unless its strand is closed first; then it is destroyed uncalled.
  using Task = std::function<void(const Turn&)>;

  // Thread-safe. Must not outlive the pool while in use.
  class Strand {
   public:
    virtual ~Strand() = default;
    // Never blocks. False: no room, or the strand is closed, or the pool has stopped; the
    // task is destroyed uncalled.
    virtual bool Submit(Task task, Admit admit) = 0;
    // Drops the tasks that wait and takes no more. Returns how many were dropped.
    virtual int Close() = 0;
  };

  struct Stats {
    std::int64_t waiting = 0;  // tasks
    std::int64_t running = 0;
    std::int64_t run = 0;  // since the start, as those below
    std::int64_t expired = 0;
    std::int64_t closed = 0;
    std::int64_t refused = 0;
  };

  explicit Pool(const Options& options);
  // Stops.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Tasks whose turn comes after `deadline` are told kExpired.
  std::shared_ptr<Strand> NewStrand(Priority priority,
                                    Clock::time_point deadline = Clock::time_point::max());

  // Waits for tasks that run; those that wait are told kStopped on the caller's thread. Not to
  // be called from a task.
  void Stop();

  Stats stats() const;
  const Options& options() const { return options_; }

 private:
  class Line;
  struct Entry {
    Task task;
    Clock::time_point since;
  };

  bool Submit(const std::shared_ptr<Line>& line, Task task, Admit admit);
  int Close(Line& line);
  void MakeReady(const std::shared_ptr<Line>& line);
  std::shared_ptr<Line> NextLine();
  void Work();
  void RunOne(std::unique_lock<std::mutex>& lock);

  const Options options_;
  mutable std::mutex mutex_;  // guards all below but the threads, and every Line's fields
  std::condition_variable work_;
  std::list<std::shared_ptr<Line>> ready_[2];  // by priority: lines with a task, none running
  int interactive_turns_ = 0;                  // in a row, while bulk waited
  bool stopping_ = false;
  Stats stats_;
  std::vector<std::thread> threads_;
};

}  // namespace ikstream
