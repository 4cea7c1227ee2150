// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// Trace over a real channel: solvers side by side on one frame, judged by what they tell of
// their own way and by what Solve answers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/math.h"
#include "gtest/gtest.h"
#include "service/harness.h"
#include "session/trace.h"
#include "unit/convert/builders.h"

namespace ikstream {
namespace {

using testing::MakeJoint;
using testing::TestServer;

constexpr int kBones = 4;

Engine TracingEngine() {
  Engine engine;
  engine.open = &Session::Open;
  engine.describe = &DescribeEngine;
  engine.trace = &TraceFrame;
  return engine;
}

// An arm of four bones of 0.4, bent a little, and a target that asks for more.
v1::TraceRequest Arm() {
  v1::TraceRequest request;
  v1::Rig& rig = *request.mutable_setup()->mutable_rig();
  for (int i = 0; i <= kBones; ++i)
    *rig.mutable_skeleton()->add_joints() = MakeJoint("", i - 1, {0, i == 0 ? 0 : -0.4f, 0});
  rig.add_chains()->set_end_joint(kBones);
  v1::Motion& motion = *request.mutable_motion();
  for (float x : {5.0f, 1.0f, -3.0f}) motion.add_root_positions(x);
  for (int i = 0; i <= kBones; ++i)
    for (float x : {std::sin(0.1f), 0.0f, 0.0f, std::cos(0.1f)}) motion.add_local_rotations(x);
  v1::TargetTrack& track = *motion.add_targets();
  for (float x : {5.7f, 0.6f, -2.6f}) track.add_positions(x);
  return request;
}

class TraceRpcTest : public ::testing::Test {
 protected:
  grpc::Status Trace(const v1::TraceRequest& request, v1::TraceResponse* response = nullptr) {
    grpc::ClientContext context;
    testing::SetPatience(context);
    v1::TraceResponse ignored;
    return server_.stub().Trace(&context, request, response ? response : &ignored);
  }
  // "CODE field" of the arm after `spoil`.
  std::string Refusal(const std::function<void(v1::TraceRequest&)>& spoil) {
    v1::TraceRequest request = Arm();
    spoil(request);
    const grpc::Status status = Trace(request);
    google::rpc::BadRequest bad;
    if (status.ok() || !testing::DetailOf(status, bad)) return "no field named";
    return std::to_string(status.error_code()) + " " + bad.field_violations(0).field();
  }

  TestServer server_{testing::TestOptions(), TracingEngine()};
};

TEST_F(TraceRpcTest, SolversSideBySide) {
  v1::TraceRequest request = Arm();
  request.add_solvers("ccd");
  request.add_solvers("fabrik");
  v1::TraceResponse response;
  ASSERT_TRUE(Trace(request, &response).ok());
  ASSERT_EQ(response.traces_size(), 2);
  for (const v1::SolverTrace& trace : response.traces()) {
    SCOPED_TRACE(trace.solver());
    EXPECT_EQ(trace.status(), v1::ChainResult::STATUS_CONVERGED);
    ASSERT_GE(trace.errors_size(), 2);
    ASSERT_EQ(trace.positions_size(), 3 * (kBones + 1) * trace.errors_size());
    EXPECT_EQ(trace.clamps_size(), trace.errors_size());
    for (int i = 0; i < trace.errors_size(); ++i) {
      EXPECT_LE(trace.errors(i), trace.errors(std::max(0, i - 1)) + 1e-5f);
      const float* p = trace.positions().data() + 3 * (kBones + 1) * i;
      for (int k = 0; k < kBones; ++k)
        EXPECT_NEAR(Length(LoadVec3(p + 3 * k + 3) - LoadVec3(p + 3 * k)), 0.4, 1e-5);
      EXPECT_NEAR(Length(LoadVec3(p + 3 * kBones) - Vec3f{5.7f, 0.6f, -2.6f}), trace.errors(i),
                  1e-5);
    }
    EXPECT_LE(trace.errors(trace.errors_size() - 1), 1.6e-3f);
  }
  EXPECT_EQ(response.traces(0).solver(), "ccd");
  EXPECT_EQ(response.traces(1).solver(), "fabrik");
}

TEST_F(TraceRpcTest, EndsWhereSolveAnswers) {
  for (const char* solver : {"ccd", "fabrik", "jacobian", "auto", ""}) {
    v1::TraceRequest request = Arm();
    if (solver[0] != 0) request.add_solvers(solver);
    v1::TraceResponse traced;
    ASSERT_TRUE(Trace(request, &traced).ok());
    v1::SolveRequest solve;
    *solve.mutable_setup() = request.setup();
    *solve.mutable_motion() = request.motion();
    solve.mutable_setup()->mutable_rig()->mutable_chains(0)->set_solver(solver);
    v1::SolveResponse solved;
    ASSERT_TRUE(testing::Solve(server_.stub(), solve, &solved).ok());
    const v1::SolverTrace& trace = traced.traces(0);
    EXPECT_EQ(trace.solver(), solver[0] != 0 ? solver : "auto");
    EXPECT_EQ(std::vector(trace.joints().begin(), trace.joints().end()),
              std::vector(solved.motion().joints().begin(), solved.motion().joints().end()));
    EXPECT_EQ(std::vector(trace.local_rotations().begin(), trace.local_rotations().end()),
              std::vector(solved.motion().local_rotations().begin(),
                          solved.motion().local_rotations().end()));
    EXPECT_NEAR(trace.errors(trace.errors_size() - 1), solved.motion().chains(0).residuals(0),
                1e-5);
    EXPECT_EQ(trace.status(), solved.motion().chains(0).statuses(0));
  }
}

TEST_F(TraceRpcTest, BadInputIsNamed) {
  EXPECT_EQ(Refusal([](auto& r) { r.set_chain(1); }), "3 chain");
  EXPECT_EQ(Refusal([](auto& r) { r.set_chain(-1); }), "3 chain");
  EXPECT_EQ(Refusal([](auto& r) { r.add_solvers("ccd"), r.add_solvers("magic"); }),
            "3 solvers[1]");
  EXPECT_EQ(Refusal([](auto& r) { r.add_solvers("two_bone"); }), "3 solvers[0]");
  EXPECT_EQ(Refusal([](auto& r) {
              for (int i = 0; i < 1000; ++i) r.add_solvers("ccd");
            }),
            "8 solvers");
  EXPECT_EQ(Refusal([](auto& r) { r.clear_motion(); }), "3 motion.root_positions");
  EXPECT_EQ(Refusal([](auto& r) {
              const v1::Motion again = r.motion();
              r.mutable_motion()->mutable_root_positions()->MergeFrom(again.root_positions());
              r.mutable_motion()->mutable_local_rotations()->MergeFrom(again.local_rotations());
            }),
            "3 motion.root_positions");
  EXPECT_EQ(Refusal([](auto& r) { r.mutable_motion()->set_local_rotations(3, NAN); }),
            "3 motion.local_rotations[0]");
  EXPECT_EQ(Refusal([](auto& r) { r.mutable_setup()->set_mode(v1::MODE_PLAN); }),
            "3 setup.mode");
  EXPECT_EQ(Refusal([](auto& r) { r.mutable_setup()->clear_rig(); }),
            "3 setup.rig.skeleton.joints");
}

// Many iterations over a long chain: refused before any work.
TEST_F(TraceRpcTest, AnAnswerThatWouldBeTooLargeIsRefused) {
  EXPECT_EQ(Refusal([](auto& r) {
              v1::Rig& rig = *r.mutable_setup()->mutable_rig();
              for (int i = kBones + 1; i < 600; ++i) {
                *rig.mutable_skeleton()->add_joints() = MakeJoint("", i - 1, {0, -0.4f, 0});
                for (int k = 0; k < 4; ++k) r.mutable_motion()->add_local_rotations(k == 3);
              }
              rig.mutable_chains(0)->set_end_joint(599);
              rig.mutable_chains(0)->set_max_iterations(1000);
            }),
            "8 setup.rig");
}

}  // namespace
}  // namespace ikstream
