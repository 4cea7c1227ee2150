// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include "session/trace.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "convert/motion.h"
#include "convert/values.h"
#include "core/field_error.h"
#include "core/trace.h"
#include "session/facts.h"
#include "session/solve_setup.h"

namespace ikstream {
namespace {

absl::Status CheckSetup(const v1::Setup& setup) {
  if (setup.mode() != v1::MODE_UNSPECIFIED && setup.mode() != v1::MODE_SOLVE)
    return FieldError("setup.mode", "must be SOLVE: Trace follows a chain to its target");
  if (setup.lead_in() != 0) return FieldError("setup.lead_in", "has no meaning in Trace");
  if (setup.lead_out() != 0) return FieldError("setup.lead_out", "has no meaning in Trace");
  return absl::OkStatus();
}

// The solvers to compare: the chain's own where none is named.
absl::StatusOr<std::vector<std::string>> SolversOf(const v1::TraceRequest& request) {
  const auto known = static_cast<std::int64_t>(Solvers().size());
  if (auto s = CheckCount(request.solvers_size(), known, "solvers"); !s.ok()) return s;
  if (request.solvers().empty()) return std::vector<std::string>{""};
  return std::vector<std::string>(request.solvers().begin(), request.solvers().end());
}

absl::Status CheckSize(const Rig& rig, int index, size_t solvers, const Limits& limits) {
  const Chain& chain = rig.chains()[index];
  int iterations = chain.spec.max_iterations;
  if (chain.group >= 0)
    iterations = std::max(iterations, rig.groups()[chain.group].max_iterations);
  const auto steps = static_cast<std::int64_t>(iterations) + 1;
  const auto points = static_cast<std::int64_t>(chain.driven.size()) + 1;
  const auto turned = static_cast<std::int64_t>(rig.driven_joints().size());
  const std::int64_t bytes =
      static_cast<std::int64_t>(solvers) * (steps * (12 * points + 8) + 24 * turned);
  if (bytes <= limits.max_unary_reply_bytes) return absl::OkStatus();
  return FieldError(
      absl::StatusCode::kResourceExhausted, "setup.rig",
      absl::StrCat("the traces could have ", bytes, " bytes; an answer may have ",
                   limits.max_unary_reply_bytes,
                   ": ask for fewer solvers, or fewer max_iterations of the chain"));
}

v1::SolverTrace ToProto(const Rig& rig, int chain, const std::string& solver,
                        const SolveTrace& trace) {
  v1::SolverTrace out;
  out.set_solver(solver.empty() ? rig.chains()[chain].spec.solver : solver);
  out.set_status(static_cast<v1::ChainResult::Status>(trace.status));
  out.mutable_errors()->Add(trace.errors.begin(), trace.errors.end());
  out.mutable_positions()->Add(trace.positions.begin(), trace.positions.end());
  out.mutable_clamps()->Add(trace.clamps.begin(), trace.clamps.end());
  out.mutable_joints()->Add(trace.joints.begin(), trace.joints.end());
  out.mutable_local_rotations()->Add(trace.local_rotations.begin(),
                                     trace.local_rotations.end());
  out.set_solve_seconds(trace.solve_seconds);
  if (trace.root) {
    out.mutable_root_position()->set_x(trace.root->x);
    out.mutable_root_position()->set_y(trace.root->y);
    out.mutable_root_position()->set_z(trace.root->z);
  }
  return out;
}

// Reads the frame: exactly one, and a good one.
absl::Status ReadFrame(const v1::Motion& motion, const Rig& rig, const Limits& limits,
                       CheckedMotion& out) {
  Warnings none;
  absl::Status s = CheckSolveMotion(motion);
  if (s.ok()) s = out.Read(motion, rig, limits, 0, none);
  if (s.ok() && out.sent_frames() != 1)
    s = FieldError("motion.root_positions",
                   absl::StrCat(out.sent_frames(), " frames came; Trace takes one"));
  return s.ok() ? out.error() : s;
}

}  // namespace

absl::StatusOr<v1::TraceResponse> TraceFrame(const v1::TraceRequest& request,
                                             const Limits& limits, const Stop& stop) {
  Warnings none;
  if (absl::Status s = CheckSetup(request.setup()); !s.ok()) return s;
  const auto rig = ReadSolveRig(request.setup(), limits, none);
  if (!rig.ok()) return rig.status();
  const auto chains = static_cast<std::int64_t>((*rig)->chains().size());
  absl::Status s = CheckIndex(request.chain(), chains, "chain");
  if (!s.ok()) return s;
  const auto solvers = SolversOf(request);
  if (!solvers.ok()) return solvers.status();
  s = CheckSize(**rig, request.chain(), solvers->size(), limits);
  CheckedMotion motion;
  if (s.ok()) s = ReadFrame(request.motion(), **rig, limits, motion);
  if (!s.ok()) return s;
  v1::TraceResponse response;
  for (size_t i = 0; i < solvers->size(); ++i) {
    const auto trace = TraceSolve(**rig, request.chain(), (*solvers)[i], motion.view(),
                                  motion.targets(), [&stop] { return stop.ShouldStop(); });
    if (stop.ShouldStop()) return stop.status();
    if (!trace.ok())
      return WithField(At("solvers", static_cast<std::int64_t>(i)), trace.status());
    *response.add_traces() = ToProto(**rig, request.chain(), (*solvers)[i], *trace);
  }
  return response;
}

}  // namespace ikstream
