// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "contestant.h"
#include "textbook.h"

namespace ikstream::bench {
namespace {

class Loop final : public Contestant {
 public:
  Loop(const TaskFile& tasks, TextbookLoop loop)
      : tasks_(tasks), loop_(loop), iterations_(static_cast<size_t>(tasks.tasks)) {}

  void Prepare() override { positions_ = tasks_.positions; }
  void Pass() override { loop_(tasks_, positions_.data(), iterations_.data()); }
  void Fill(ResultFile& result) const override {
    result.positions.assign(positions_.begin(), positions_.end());
    result.iterations.assign(iterations_.begin(), iterations_.end());
  }

 private:
  const TaskFile& tasks_;
  const TextbookLoop loop_;
  std::vector<float> positions_;
  std::vector<int> iterations_;
};

}  // namespace

std::unique_ptr<Contestant> MakeTextbook(const TaskFile& tasks, const std::string& name) {
  if (name == "textbook_fabrik") return std::make_unique<Loop>(tasks, TextbookFabrik);
  if (name == "textbook_ccd") return std::make_unique<Loop>(tasks, TextbookCcd);
  return nullptr;
}

}  // namespace ikstream::bench
