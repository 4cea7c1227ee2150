// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/planar_scenes.h"

#include <algorithm>
#include <cmath>

namespace ikstream {
namespace {

Vec3f AcrossUnit(Random& random, Vec3d normal) {
  for (;;) {
    const Vec3d v = Cast<double>(RandomUnit(random));
    const Vec3d across = v - normal * Dot(v, normal);
    if (Length(across) > 0.1) return Cast<float>(across / Length(across));
  }
}

HingeLimit RandomRange(Random& random, Vec3d axis) {
  // Some ranges reach over 180 degrees; some axes point the other way.
  const float centre = random() % 4 == 0 ? 3 : Uniform(random, -1, 1);
  const float half = Uniform(random, 0.3f, 1.8f);
  if (random() % 2 == 0) return {Cast<float>(-axis), -centre - half, -centre + half};
  return {Cast<float>(axis), centre - half, centre + half};
}

}  // namespace

RigSpec RandomPlanarChain(Random& random, int bones, const std::string& solver, bool limits) {
  RigSpec spec;
  spec.joints.push_back({"base", -1, {}, RandomTurn(random, 3), {}});
  spec.limits.resize(static_cast<size_t>(bones) + 2);
  ChainSpec chain;
  chain.root_joint = 1;
  chain.end_joint = bones + 1;
  chain.solver = solver;
  chain.plane_normal = random() % 3 == 0 ? Vec3f{0, 0, 1} : RandomUnit(random) * 2;
  Vec3d normal = NormalizedOr(Cast<double>(*chain.plane_normal), {});
  Vec3f offset = RandomUnit(random);
  for (int i = 1; i <= bones + 1; ++i) {
    const Quatf rest = Normalized(RandomTurn(random, 3));
    spec.joints.push_back({"", i - 1, offset, rest, {}});
    normal = Rotate(Conjugate(Cast<double>(rest)), normal);
    offset = AcrossUnit(random, normal) * Uniform(random, 0.5f, 1.5f);
    if (limits && i <= bones && random() % 5 != 0)
      spec.limits[static_cast<size_t>(i)] = RandomRange(random, normal);
  }
  spec.chains.push_back(chain);
  return spec;
}

std::vector<Vec3d> NormalsOf(const Rig& rig) {
  std::vector<Vec3d> out(static_cast<size_t>(rig.skeleton().size()));
  Vec3d normal = Cast<double>(rig.chains()[0].plane->normal);
  for (int j : rig.chains()[0].turned) {
    normal = Rotate(Conjugate(Cast<double>(rig.skeleton().joint(j).rest)), normal);
    out[static_cast<size_t>(j)] = normal;
  }
  return out;
}

std::vector<Quatf> PlanarPose(Random& random, const Rig& rig, float max_angle) {
  std::vector<Quatf> pose = {RandomTurn(random, 3)};
  const std::vector<Vec3d> normals = NormalsOf(rig);
  for (int j = 1; j < rig.skeleton().size(); ++j) {
    const Vec3d normal = normals[static_cast<size_t>(j)];
    double low = -max_angle, high = max_angle;
    if (const auto* hinge = std::get_if<HingeLimit>(&rig.limit(j))) {
      const bool same = Dot(Cast<double>(hinge->axis), normal) > 0;
      const double min = same ? hinge->min : -hinge->max, max = same ? hinge->max : -hinge->min;
      const double centre = (min + max) / 2,
                   half = std::min<double>((max - min) / 2, max_angle);
      low = centre - 0.98 * half, high = centre + 0.98 * half;
    }
    const double angle = Uniform(random, static_cast<float>(low), static_cast<float>(high));
    const Quatd rest = Cast<double>(rig.skeleton().joint(j).rest);
    pose.push_back(Cast<float>(Normalized(rest * FromAxisAngle(normal, angle))));
  }
  return pose;
}

std::vector<double> HeightsOf(const Scene& scene, const std::vector<float>& rotations,
                              int frame) {
  const ModelPose pose = PoseOf(scene, rotations, frame);
  const Chain& chain = scene.rig->chains()[0];
  const int above = scene.rig->skeleton().joint(chain.spec.root_joint).parent;
  const Quatd parent = above < 0 ? Quatd{} : pose.rotations[static_cast<size_t>(above)];
  const Vec3d normal =
      Rotate(parent, NormalizedOr(Cast<double>(*chain.spec.plane_normal), Vec3d{}));
  std::vector<double> heights;
  for (int j : chain.turned)
    heights.push_back(Dot(pose.positions[static_cast<size_t>(j)] -
                              pose.positions[static_cast<size_t>(chain.spec.root_joint)],
                          normal));
  return heights;
}

double WorstLean(const Scene& scene, const std::vector<float>& rotations, int frame) {
  const ModelPose before = PoseOf(scene, scene.rotations, frame);
  const ModelPose after = PoseOf(scene, rotations, frame);
  const Chain& chain = scene.rig->chains()[0];
  const int above = scene.rig->skeleton().joint(chain.spec.root_joint).parent;
  const Quatd parent = above < 0 ? Quatd{} : before.rotations[static_cast<size_t>(above)];
  const Vec3d normal =
      Rotate(parent, NormalizedOr(Cast<double>(*chain.spec.plane_normal), Vec3d{}));
  double worst = 0;
  for (int j : chain.turned) {
    const auto k = static_cast<size_t>(j);
    const Quatd turn = after.rotations[k] * Conjugate(before.rotations[k]);
    const Vec3d off =
        Vec3d{turn.x, turn.y, turn.z} - normal * Dot(Vec3d{turn.x, turn.y, turn.z}, normal);
    worst = std::max(worst, 2 * Length(off));
  }
  return worst;
}

}  // namespace ikstream
