// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "unit/core/contract_scenes.h"

#include <algorithm>
#include <utility>

#include "unit/core/aim_scenes.h"
#include "unit/core/collider_scenes.h"
#include "unit/core/planar_scenes.h"
#include "unit/core/reference.h"

namespace ikstream {
namespace {

// What the solver needs beside its name: an axis; a group, and a root that no chain moves.
RigSpec FitTo(const ContractCase& test, RigSpec spec, Random& random) {
  if (test.aims()) spec.chains[0].aim_axis = RandomUnit(random);
  if (test.solver != "body") return spec;
  for (Joint& joint : spec.joints) ++joint.parent;
  spec.joints.insert(spec.joints.begin(), Joint{});
  if (!spec.limits.empty()) spec.limits.insert(spec.limits.begin(), std::monostate());
  ++spec.chains[0].root_joint, ++spec.chains[0].end_joint;
  spec.chains[0].group = "body";
  return spec;
}

RigSpec ChainOf(const ContractCase& test, Random& random, bool limits) {
  const int bones = test.solver == "two_bone" ? 2 : 2 + static_cast<int>(random() % 9);
  if (test.kind == Kind::kPlane) return RandomPlanarChain(random, bones, test.solver, limits);
  if (test.kind == Kind::kColliders)
    return RandomColliderChain(random, bones, test.solver, limits);
  return FitTo(test, RandomChain(random, bones, test.solver, limits), random);
}

std::vector<Quatf> PoseOf(Kind kind, Random& random, const Rig& rig, float max_angle) {
  return kind == Kind::kPlane ? PlanarPose(random, rig, max_angle)
                              : RandomPose(random, rig, max_angle);
}

// A pose to take a target from; where colliders leave none, the one at the start.
std::vector<Quatf> GoalOf(Kind kind, Random& random, const Scene& scene,
                          const std::vector<Quatf>& start, Vec3f root) {
  if (kind != Kind::kColliders) {
    std::vector<Quatf> goal = PoseOf(kind, random, *scene.rig, 1.5f);
    if (kind == Kind::kPlane) goal[0] = start[0];
    return goal;
  }
  std::vector<Quatf> goal = FreePose(random, scene, start[0], root, 1.5f, 50);
  return goal.empty() ? start : goal;
}

}  // namespace

std::vector<ContractCase> ContractCases() {
  std::vector<ContractCase> cases = {{"aim", Kind::kSpace}, {"body", Kind::kSpace}};
  for (Kind kind : {Kind::kSpace, Kind::kPlane, Kind::kColliders})
    for (const char* solver : {"auto", "two_bone", "fabrik", "ccd", "jacobian"})
      cases.push_back({solver, kind});
  return cases;
}

Scene ContractScene(const ContractCase& test, int seed, bool limits, int frames,
                    float root_range) {
  Random random(seed);
  RigSpec spec = ChainOf(test, random, limits);
  spec.chains[0].max_iterations = 60;
  Scene scene = MakeScene(std::move(spec));
  for (int f = 0; f < frames; ++f) {
    const Vec3f root = RandomUnit(random) * Uniform(random, 0, root_range);
    const std::vector<Quatf> start = PoseOf(test.kind, random, *scene.rig, 0.8f);
    Scene goal{scene.rig, {}, {}, {}, {}, {}, {}};
    goal.Add(GoalOf(test.kind, random, scene, start, root), root);
    scene.AddTarget(Cast<float>(TargetOf(test, goal, goal.rotations, 0)));
    scene.Add(start, root);
  }
  return scene;
}

void PoseWildly(Kind kind, int seed, Scene& scene) {
  Random random(seed);
  const auto stride = static_cast<size_t>(4 * scene.joints());
  for (size_t i = 0; i < scene.rotations.size(); i += 4)
    if (kind != Kind::kPlane) Store(RandomTurn(random, 3), scene.rotations.data() + i);
  if (kind != Kind::kPlane) return;
  const std::vector<Vec3d> normals = NormalsOf(*scene.rig);
  for (int f = 0; f < scene.frames(); ++f)
    for (int j : scene.rig->chains()[0].turned) {
      const Quatd turn = FromAxisAngle(normals[static_cast<size_t>(j)],
                                       static_cast<double>(Uniform(random, -3, 3)));
      const Quatd rest = Cast<double>(scene.rig->skeleton().joint(j).rest);
      Store(Cast<float>(Normalized(rest * turn)),
            scene.rotations.data() + stride * static_cast<size_t>(f) + 4 * j);
    }
}

Vec3d TargetOf(const ContractCase& test, const Scene& scene,
               const std::vector<float>& rotations, int frame) {
  const Vec3d end = EndOf(scene, rotations, frame);
  return test.aims() ? end + RayOf(scene, rotations, frame).axis * 3.0 : end;
}

double ErrorOf(const ContractCase& test, const Scene& scene,
               const std::vector<float>& rotations, int frame) {
  return test.aims() ? RayOf(scene, rotations, frame).angle : ErrorOf(scene, rotations, frame);
}

float ToldOf(const ContractCase& test, const Solved& solved, int frame) {
  return test.aims() ? solved.angles[frame] : solved.residuals[frame];
}

float ToleranceOf(const ContractCase& test, const Chain& chain) {
  return test.aims() ? chain.spec.rotation_tolerance : chain.tolerance;
}

double WorstOutside(const Scene& scene, const Solved& solved, int frame) {
  double worst = 0;
  for (int j : scene.rig->chains()[0].driven) {
    const Joint& joint = scene.rig->skeleton().joint(j);
    const bool leaf = j + 1 == scene.joints();
    const Vec3f bone = leaf ? Vec3f{} : scene.rig->skeleton().joint(j + 1).offset;
    worst =
        std::max(worst, Outside(scene.rig->limit(j), Cast<double>(joint.rest),
                                Cast<double>(bone), Cast<double>(solved.At(scene, frame, j))));
  }
  return worst;
}

}  // namespace ikstream
