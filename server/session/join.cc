// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
#include <utility>

#include "convert/plan.h"
#include "session/session.h"

namespace ikstream {
namespace {

template <class Field>
void Append(Field& to, const Field& from) {
  to.MergeFrom(from);
}

void Join(v1::MotionResult& to, v1::MotionResult&& from) {
  if (to.frame_count() == 0) {
    to = std::move(from);
    return;
  }
  to.set_frame_count(to.frame_count() + from.frame_count());
  Append(*to.mutable_local_rotations(), from.local_rotations());
  Append(*to.mutable_root_positions(), from.root_positions());
  Append(*to.mutable_local_translations(), from.local_translations());
  Append(*to.mutable_angular_velocities(), from.angular_velocities());
  Append(*to.mutable_warnings(), from.warnings());
  // Chains and feet stand in the same order in every reply; their lists are per frame.
  for (int c = 0; c < from.chains_size(); ++c) to.mutable_chains(c)->MergeFrom(from.chains(c));
  for (int f = 0; f < from.feet_size(); ++f) to.mutable_feet(f)->MergeFrom(from.feet(f));
}

}  // namespace

v1::SolveResponse JoinReplies(Session::Replies replies) {
  v1::SolveResponse out;
  v1::Plan plan;
  bool planned = false;
  for (Session::Reply& reply : replies) {
    if (reply.has_motion()) Join(*out.mutable_motion(), std::move(*reply.mutable_motion()));
    // Parts that we cut ourselves always fit together.
    if (reply.has_plan_part() && JoinPlanPart(reply.plan_part(), !planned, plan).ok())
      planned = true;
    if (reply.has_summary()) *out.mutable_summary() = std::move(*reply.mutable_summary());
  }
  if (planned) *out.mutable_summary()->mutable_plan() = std::move(plan);
  return out;
}

}  // namespace ikstream
