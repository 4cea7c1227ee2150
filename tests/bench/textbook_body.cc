// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "textbook_body.h"

#include <algorithm>
#include <cmath>

namespace ikstream::bench {
namespace {

constexpr float kLambda = 0.03f;

// Three rows per effector; three columns per joint and three for the root.
class Plain {
 public:
  explicit Plain(const BodyScene& scene)
      : scene_(scene),
        joints_(scene.joints()),
        rows_(3 * scene.chains()),
        columns_(3 * joints_ + 3),
        jacobian_(rows_ * columns_),
        normal_(rows_ * rows_),
        error_(rows_),
        positions_(joints_),
        rotations_(joints_) {
    for (int c = 0; c < scene.chains(); ++c)
      for (int j = scene.rig->chains()[c].spec.end_joint; j >= 0;
           j = scene.rig->skeleton().joint(j).parent)
        paths_.push_back({c, j});
  }

  int Solve(int frame, float* local, float* root, int most) {
    int done = 0;
    for (Forward(local, root); done < most && Measure(frame) > 1e-3f * kHeight; ++done) {
      Step(local, root);
      Forward(local, root);
    }
    return done;
  }

 private:
  void Forward(const float* local, const float* root) {
    for (int j : scene_.rig->skeleton().order()) {
      const Joint& joint = scene_.rig->skeleton().joint(j);
      const Quatf q = LoadQuat(local + 4 * j);
      if (joint.parent < 0) {
        positions_[j] = LoadVec3(root);
        rotations_[j] = q;
      } else {
        positions_[j] =
            positions_[joint.parent] + Rotate(rotations_[joint.parent], joint.offset);
        rotations_[j] = rotations_[joint.parent] * q;
      }
    }
  }

  float Measure(int frame) {
    float worst = 0;
    for (int c = 0; c < scene_.chains(); ++c) {
      const Vec3f e = LoadVec3(scene_.tracks[c].positions.data() + 3 * frame) -
                      positions_[scene_.rig->chains()[c].spec.end_joint];
      Store(e, error_.data() + 3 * c);
      worst = std::max(worst, Length(e));
    }
    return worst;
  }

  void FillJacobian() {
    std::fill(jacobian_.begin(), jacobian_.end(), 0.0f);
    for (const auto& [c, j] : paths_) {
      const Vec3f r = positions_[scene_.rig->chains()[c].spec.end_joint] - positions_[j];
      float* row = jacobian_.data() + 3 * c * columns_ + 3 * j;
      row[1] = r.z, row[2] = -r.y;
      row[columns_] = -r.z, row[columns_ + 2] = r.x;
      row[2 * columns_] = r.y, row[2 * columns_ + 1] = -r.x;
    }
    for (int i = 0; i < rows_; ++i) jacobian_[i * columns_ + 3 * joints_ + i % 3] = 1;
  }

  // error <- (J J^T + lambda^2 1)^-1 error
  void SolveNormal() {
    const int n = rows_;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        float s = i == j ? kLambda * kLambda : 0;
        for (int k = 0; k < columns_; ++k)
          s += jacobian_[i * columns_ + k] * jacobian_[j * columns_ + k];
        for (int k = 0; k < j; ++k) s -= normal_[i * n + k] * normal_[j * n + k];
        normal_[i * n + j] = i == j ? std::sqrt(s) : s / normal_[j * n + j];
      }
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) error_[i] -= normal_[i * n + k] * error_[k];
      error_[i] /= normal_[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) error_[i] -= normal_[k * n + i] * error_[k];
      error_[i] /= normal_[i * n + i];
    }
  }

  void Step(float* local, float* root) {
    FillJacobian();
    SolveNormal();
    const auto turned = [&](int column) {
      float s = 0;
      for (int i = 0; i < rows_; ++i) s += jacobian_[i * columns_ + column] * error_[i];
      return s;
    };
    for (int j = 0; j < joints_; ++j) {
      const Vec3f w{turned(3 * j), turned(3 * j + 1), turned(3 * j + 2)};
      const float angle = Length(w);
      if (angle < 1e-9f) continue;
      const int parent = scene_.rig->skeleton().joint(j).parent;
      const Quatf frame = parent < 0 ? Quatf{} : rotations_[parent];
      const Quatf turn = FromAxisAngle(Rotate(Conjugate(frame), w / angle), angle);
      Store(Normalized(turn * LoadQuat(local + 4 * j)), local + 4 * j);
    }
    for (int i = 0; i < 3; ++i) root[i] += turned(3 * joints_ + i);
  }

  const BodyScene& scene_;
  int joints_, rows_, columns_;
  std::vector<float> jacobian_, normal_, error_;
  std::vector<Vec3f> positions_;
  std::vector<Quatf> rotations_;
  std::vector<std::pair<int, int>> paths_;  // effector, joint above it
};

}  // namespace

SolvedBody TextbookBody(const BodyScene& scene, int max_iterations) {
  SolvedBody out;
  out.roots = scene.roots;
  out.rotations = scene.rotations;
  out.chains.resize(scene.chains());
  out.chains[0].iterations.resize(scene.frames());
  Plain plain(scene);
  for (int f = 0; f < scene.frames(); ++f)
    out.chains[0].iterations[f] = plain.Solve(f, out.rotations.data() + 4 * scene.joints() * f,
                                              out.roots.data() + 3 * f, max_iterations);
  return out;
}

}  // namespace ikstream::bench
