// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The signs of answers along a stream: the rule of core/continuity.h joint by joint and frame
// by frame in double precision, and the same bits however the frames are cut into runs.
#include "core/continuity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/scenes.h"

namespace ikstream {
namespace {

constexpr size_t kJoints = 5;
constexpr int kFrames = 400;
constexpr std::ptrdiff_t kStride = 4 * (kJoints + 2);  // joints that are not driven around them

struct Stream {
  std::vector<float> solved = std::vector<float>(4 * kJoints * kFrames + ContinuityRows::kPad);
  std::vector<float> pose = std::vector<float>(kStride * kFrames);

  float* solved_at(int f, size_t k) { return solved.data() + 4 * (kJoints * f + k); }
  float* pose_at(int f, size_t k) { return pose.data() + kStride * f + 4 * (k + 1); }
};

std::vector<std::ptrdiff_t> Offsets() {
  std::vector<std::ptrdiff_t> offsets(kJoints);
  for (size_t k = 0; k < kJoints; ++k) offsets[k] = static_cast<std::ptrdiff_t>(4 * (k + 1));
  return offsets;
}

Quatf Turned(Random& random, float angle) {
  const Vec3f u = RandomUnit(random) * std::sin(angle / 2);
  return {u.x, u.y, u.z, std::cos(angle / 2)};
}

// Joints that turn much, little, not at all, by right angles of the quaternion, and at random.
// Signs of what was solved are random.
Stream MakeStream(int seed) {
  Random random(seed);
  Stream stream;
  for (int f = 0; f < kFrames; ++f)
    for (size_t k = 0; k < kJoints; ++k) {
      const Quatf input = Turned(random, Uniform(random, 0, 3));
      Quatf solved = Turned(random, Uniform(random, 0, 6.28f));
      const bool alone = random() % 7 == 0;
      if (k == 1) solved = Turned(random, Uniform(random, 0, 0.2f)) * input;
      if (k == 2 && random() % 3 != 0) solved = input;
      if (k == 3) solved = random() % 2 == 0 ? Quatf{1, 0, 0, 0} : Quatf{0, 0, 0, 1};
      if (k == 4 && alone) solved = Turned(random, 3.1415927f) * input;
      if (random() % 2 == 0) solved = -solved;
      Store(solved, stream.solved_at(f, k));
      Store(input, stream.pose_at(f, k));
    }
  return stream;
}

// The answers, blended in runs of random lengths up to `most`; now and then a frame is blended
// by a weight, or was not solved.
std::vector<float> Blended(Stream stream, int most, bool mixed, int seed) {
  enum Kind { kWhole, kPartial, kSkipped };
  Random random(seed), cuts(most);
  std::vector<Kind> kinds(kFrames, kWhole);
  for (Kind& kind : kinds)
    if (mixed && random() % 50 == 0) kind = random() % 2 == 0 ? kPartial : kSkipped;
  const std::vector<std::ptrdiff_t> offsets = Offsets();
  Continuity joints(kJoints, offsets.data());
  for (int f = 0; f < kFrames;) {
    const int last = f + 1 + static_cast<int>(cuts() % static_cast<unsigned>(most));
    int end = f;
    while (end < std::min(last, kFrames) && kinds[end] == kWhole) ++end;
    joints.BlendRun(stream.solved_at(f, 0), stream.pose.data() + kStride * f, kStride, end - f);
    f = end;
    if (f == kFrames || kinds[f] == kWhole) continue;
    for (size_t k = 0; k < kJoints; ++k) {
      float* at = stream.pose_at(f, k);
      if (kinds[f] == kSkipped)
        joints.Skip(k);
      else
        Store(joints.Blend(k, LoadQuat(at), LoadQuat(stream.solved_at(f, k)), 0.5f), at);
    }
    ++f;
  }
  return stream.pose;
}

TEST(ContinuityRunTest, SameBitsHoweverFramesAreCut) {
  for (int seed = 0; seed < 20; ++seed) {
    const Stream stream = MakeStream(seed);
    for (bool mixed : {false, true}) {
      const std::vector<float> all = Blended(stream, kFrames, mixed, seed);
      for (int most : {1, 3, 16, 40, 130}) {
        const std::vector<float> cut = Blended(stream, most, mixed, seed);
        ASSERT_EQ(std::memcmp(all.data(), cut.data(), all.size() * sizeof(float)), 0)
            << "seed " << seed << ", runs of up to " << most << ", mixed " << mixed;
      }
    }
  }
}

// Answers are what was solved, or its opposite; the input's bits where they are the same; and
// follow the answer before wherever that does not hang on rounding.
TEST(ContinuityRunTest, AnswersFollowTheOnesBefore) {
  Stream stream = MakeStream(3);
  Stream answers = stream;
  const std::vector<std::ptrdiff_t> offsets = Offsets();
  Continuity joints(kJoints, offsets.data());
  joints.BlendRun(stream.solved.data(), answers.pose.data(), kStride, kFrames);
  int same = 0, turned = 0, fresh = 0;
  for (size_t k = 0; k < kJoints; ++k) {
    bool active = false;
    Quatd before;
    for (int f = 0; f < kFrames; ++f) {
      const float* answer = answers.pose_at(f, k);
      const auto solved = Cast<double>(LoadQuat(stream.solved_at(f, k)));
      const auto input = Cast<double>(LoadQuat(stream.pose_at(f, k)));
      const Quatd d = solved * Conjugate(input);
      if (Dot(Vec3d{d.x, d.y, d.z}, Vec3d{d.x, d.y, d.z}) < 1e-13) {
        ASSERT_EQ(std::memcmp(answer, stream.pose_at(f, k), 4 * sizeof(float)), 0);
        active = false;
        ++same;
        continue;
      }
      const double side = active ? Dot(solved, before) : d.w;
      if (std::abs(side) > 1e-6) {
        const float sign = side < 0 ? -1.0f : 1.0f;
        for (int i = 0; i < 4; ++i) ASSERT_EQ(answer[i], sign * stream.solved_at(f, k)[i]);
        (active ? turned : fresh) += side < 0 ? 1 : 0;
      }
      before = Cast<double>(LoadQuat(answer));
      active = true;
    }
  }
  EXPECT_GT(same, 100);
  EXPECT_GT(turned, 100);
  EXPECT_GT(fresh, 10);
}

}  // namespace
}  // namespace ikstream
