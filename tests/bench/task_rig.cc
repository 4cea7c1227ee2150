// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "task_rig.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ikstream::bench {

std::shared_ptr<const Rig> MakeTaskRig(const TaskFile& tasks, const std::string& solver) {
  RigSpec spec;
  for (int i = 0; i <= tasks.bones; ++i) {
    const float length = i == 0 ? 0 : static_cast<float>(tasks.lengths[i - 1]);
    spec.joints.push_back({"", i - 1, {0, length, 0}, {}, {}});
  }
  if (tasks.cone > 0) {
    const auto cone = static_cast<float>(tasks.cone);
    spec.limits.assign(
        tasks.bones + 1,
        SwingTwistLimit{Vec3f{0, 1, 0}, {}, cone, cone, -3.1415927f, 3.1415927f});
    spec.limits.back() = std::monostate();
  }
  ChainSpec chain;
  chain.end_joint = tasks.bones;
  chain.solver = solver;
  chain.max_iterations = tasks.max_iterations;
  chain.tolerance = static_cast<float>(tasks.tolerance);
  spec.chains.push_back(chain);
  auto rig = Rig::Create(spec);
  if (!rig.ok()) {
    std::fprintf(stderr, "%s\n", rig.status().ToString().c_str());
    std::exit(1);
  }
  return std::make_shared<const Rig>(*std::move(rig));
}

}  // namespace ikstream::bench
