// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ikstream {
namespace {

prometheus::MetricFamily One(const char* name, const char* help, prometheus::MetricType type,
                             double value) {
  prometheus::ClientMetric metric;
  (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  return {name, help, type, {metric}};
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double OpenFiles() {
  std::error_code error;
  double count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count > 0 ? count - 1 : 0;  // without the one that reads this folder
}

double MaxFiles() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

// Field 22 of /proc/self/stat counts clock ticks since the boot; /proc/stat tells the boot.
double StartSeconds() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double ticks = 0;
  fields >> ticks;
  std::ifstream stat("/proc/stat");
  double boot = 0;
  for (std::string key; stat >> key;) {
    if (key == "btime") {
      stat >> boot;
      break;
    }
  }
  return boot + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const {
  using Type = prometheus::MetricType;
  return {
      One("process_cpu_seconds_total", "User and system CPU time spent.", Type::Counter,
          CpuSeconds()),
      One("process_resident_memory_bytes", "Resident memory.", Type::Gauge, ResidentBytes()),
      One("process_open_fds", "Open file descriptors.", Type::Gauge, OpenFiles()),
      One("process_max_fds", "The limit of open file descriptors.", Type::Gauge, MaxFiles()),
      One("process_start_time_seconds", "Start of the process since the epoch.", Type::Gauge,
          StartSeconds()),
  };
}

}  // namespace ikstream
