// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#pragma once

#include <future>
#include <memory>

#include "pool/pool.h"

namespace ikstream::testing {

// Keeps one worker of a pool busy until it is released or destroyed, so that what is submitted
// meanwhile waits.
class Blocker {
 public:
  explicit Blocker(Pool& pool) : strand_(pool.NewStrand(Pool::Priority::kInteractive)) {
    std::promise<void> running;
    std::shared_future<void> open = gate_.get_future().share();
    strand_->Submit(
        [&running, open](const Pool::Turn&) {
          running.set_value();
          open.wait();
        },
        Pool::Admit::kAlways);
    running.get_future().wait();
  }
  ~Blocker() { Release(); }

  void Release() {
    if (!released_) gate_.set_value();
    released_ = true;
  }

 private:
  std::shared_ptr<Pool::Strand> strand_;
  std::promise<void> gate_;
  bool released_ = false;
};

}  // namespace ikstream::testing
