// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// How many workers a process may keep busy. A container's CPU quota counts, not the host's
// cores: workers beyond the quota are throttled together and their latency jumps.
#pragma once

#include <string>

namespace ikstream {

// Where the kernel tells about control groups (version 2). Other paths in tests.
struct CgroupFiles {
  std::string root = "/sys/fs/cgroup";
  std::string self = "/proc/self/cgroup";
};

// CPUs granted by the least `cpu.max` from the process's group up to the root. 0: no quota, or
// none that can be read.
double CpuQuota(const CgroupFiles& files = {});

// The quota rounded up where it is below `hardware`, else `hardware`; at least 1.
int WorkerCount(double quota, unsigned hardware);

}  // namespace ikstream
