// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "pool/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace ikstream {
namespace {

// `cpu.max` holds "QUOTA PERIOD" in microseconds, or "max PERIOD".
double QuotaOf(const std::string& group) {
  std::ifstream file(group + "/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || quota <= 0 || period <= 0) return 0;
  return quota / period;
}

// The line "0::/path" names the group of version 2.
std::string GroupOf(const std::string& self) {
  std::ifstream file(self);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) == 0) return line.substr(3);
  }
  return "/";
}

}  // namespace

double CpuQuota(const CgroupFiles& files) {
  double least = 0;
  for (std::string group = GroupOf(files.self);;) {
    const double quota = QuotaOf(files.root + group);
    if (quota > 0 && (least == 0 || quota < least)) least = quota;
    if (group.empty() || group == "/") return least;
    group.resize(group.rfind('/'));
  }
}

int WorkerCount(double quota, unsigned hardware) {
  const int cores = std::max(1, static_cast<int>(hardware));
  if (quota <= 0 || quota >= cores) return cores;
  return std::max(1, static_cast<int>(std::ceil(quota)));
}

}  // namespace ikstream
