// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "textbook.h"

#include <cmath>

namespace ikstream::bench {
namespace {

struct Point {
  float x, y, z;
};

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Point operator*(Point a, float s) { return {a.x * s, a.y * s, a.z * s}; }
float Dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Point Cross(Point a, Point b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
float Length(Point a) { return std::sqrt(Dot(a, a)); }

struct Problem {
  Point* p;
  int bones;
  const float* lengths;
  Point target;
  float tolerance, reach;
  int max_iterations;
};

int SolveFabrik(const Problem& problem) {
  Point* p = problem.p;
  const int n = problem.bones;
  const Point root = p[0];
  const Point way = problem.target - root;
  const float distance = Length(way);
  if (distance > problem.reach) {
    for (int i = 0; i < n; ++i) p[i + 1] = p[i] + way * (problem.lengths[i] / distance);
    return 1;
  }
  int done = 0;
  while (done < problem.max_iterations && Length(p[n] - problem.target) > problem.tolerance) {
    ++done;
    p[n] = problem.target;
    for (int i = n - 1; i >= 0; --i) {
      const Point d = p[i] - p[i + 1];
      p[i] = p[i + 1] + d * (problem.lengths[i] / Length(d));
    }
    p[0] = root;
    for (int i = 0; i < n; ++i) {
      const Point d = p[i + 1] - p[i];
      p[i + 1] = p[i] + d * (problem.lengths[i] / Length(d));
    }
  }
  return done;
}

int SolveCcd(const Problem& problem) {
  Point* p = problem.p;
  const int n = problem.bones;
  int done = 0;
  while (done < problem.max_iterations && Length(p[n] - problem.target) > problem.tolerance) {
    ++done;
    for (int i = n - 1; i >= 0; --i) {
      const Point a = p[n] - p[i], b = problem.target - p[i];
      const float la = Length(a), lb = Length(b);
      if (la < 1e-9f || lb < 1e-9f) continue;
      const Point axis = Cross(a, b);
      const float sine = Length(axis) / (la * lb), cosine = Dot(a, b) / (la * lb);
      if (sine < 1e-9f) continue;
      const Point u = axis * (1 / Length(axis));
      for (int j = i + 1; j <= n; ++j) {
        const Point v = p[j] - p[i];
        p[j] = p[i] + v * cosine + Cross(u, v) * sine + u * (Dot(u, v) * (1 - cosine));
      }
    }
  }
  return done;
}

template <int (*kSolve)(const Problem&)>
void Pass(const TaskFile& tasks, float* positions, int* iterations) {
  const std::vector<float> lengths(tasks.lengths.begin(), tasks.lengths.end());
  for (int t = 0; t < tasks.tasks; ++t) {
    const float* target = tasks.targets.data() + 3 * t;
    auto* p = reinterpret_cast<Point*>(positions + 3L * (tasks.bones + 1) * t);
    iterations[t] = kSolve({p,
                            tasks.bones,
                            lengths.data(),
                            {target[0], target[1], target[2]},
                            static_cast<float>(tasks.tolerance),
                            static_cast<float>(tasks.reach),
                            tasks.max_iterations});
  }
}

}  // namespace

void TextbookFabrik(const TaskFile& tasks, float* positions, int* iterations) {
  Pass<SolveFabrik>(tasks, positions, iterations);
}

void TextbookCcd(const TaskFile& tasks, float* positions, int* iterations) {
  Pass<SolveCcd>(tasks, positions, iterations);
}

}  // namespace ikstream::bench
