// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// A chain without a target is asked to keep its end where the input has it, limits or not: what
// limits move it by is told as residual.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "unit/core/contract_scenes.h"

namespace ikstream {
namespace {

class NoTargetTest : public testing::TestWithParam<ContractCase> {};

TEST_P(NoTargetTest, TheInputsEndIsAskedFor) {
  int moved = 0;
  for (int seed = 0; seed < 40; ++seed) {
    Scene scene = ContractScene(GetParam(), seed, true, 17, 10);
    PoseWildly(GetParam().kind, seed, scene);
    scene.positions.clear();
    const Solved solved = Solve(scene);
    const double length = scene.rig->chains()[0].length;
    for (int f = 0; f < scene.frames(); ++f) {
      const double by =
          Length(EndOf(scene, solved.rotations, f) - EndOf(scene, scene.rotations, f));
      ASSERT_NEAR(by, solved.residuals[f], 2e-5 * length) << seed << " " << f;
      ASSERT_LE(WorstOutside(scene, solved, f), 1e-4) << seed << " " << f;
      moved += by > 0.1 * length ? 1 : 0;
    }
  }
  EXPECT_GT(moved, 0) << "limits that move no end show nothing";
}

std::vector<ContractCase> AllCases() {
  std::vector<ContractCase> cases;
  for (const Kind kind : {Kind::kSpace, Kind::kPlane, Kind::kColliders})
    for (const char* solver : {"auto", "two_bone", "fabrik", "ccd", "jacobian"})
      cases.push_back({solver, kind});
  return cases;
}

std::string NameOf(const testing::TestParamInfo<ContractCase>& test) {
  const char* kinds[] = {"", "_plane", "_colliders"};
  return test.param.solver + kinds[static_cast<int>(test.param.kind)];
}

INSTANTIATE_TEST_SUITE_P(Solvers, NoTargetTest, testing::ValuesIn(AllCases()), NameOf);

}  // namespace
}  // namespace ikstream
