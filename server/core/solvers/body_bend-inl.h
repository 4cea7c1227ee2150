// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors
//
// The start of straight limbs.
#if defined(IKSTREAM_CORE_SOLVERS_BODY_BEND_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IKSTREAM_CORE_SOLVERS_BODY_BEND_INL_H_
#undef IKSTREAM_CORE_SOLVERS_BODY_BEND_INL_H_
#else
#define IKSTREAM_CORE_SOLVERS_BODY_BEND_INL_H_
#endif

#include "core/solvers/body_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ikstream {
namespace HWY_NAMESPACE {

// How far (radians) the inner joints of a straight limb are bent: too little to see, enough for
// least squares to go on from.
inline constexpr float kBendStart = 0.02f;

// How straight the limb of an effector is: 1 where all joints lie on the line, falling to 0
// where one is off it by 2e-3 of its reach.
template <class L>
HWY_NOINLINE L Straightness(const BodyRows<L>& p, int e, const V3<L>& line) {
  const BodyEffector& effector = p.group.effectors[e];
  const V3<L> from = p.Pos(effector.root_node);
  L off = L::Set(0);
  for (int n = effector.node; n != effector.root_node; n = p.group.nodes[n].parent) {
    const V3<L> c = Cross(line, p.Pos(n) - from);
    off = Max(off, Dot(c, c));
  }
  const float least = 2e-3f * effector.reach / p.group.size;
  return Max(L::Set(1) - Sqrt(off) * L::Set(1 / least), L::Set(0));
}

// Bends straight limbs a little, to the side of their hinges or their rest pose: no turn of a
// straight limb moves its end along the limb, so least squares alone would not bend it.
template <class L>
HWY_NOINLINE void BendStraight(const BodyRows<L>& p, const typename L::Mask& where) {
  for (size_t e = 0; e < p.group.effectors.size(); ++e) {
    const BodyEffector& effector = p.group.effectors[e];
    const Chain& chain = p.job.rig->chains()[static_cast<size_t>(effector.chain)];
    const int end = static_cast<int>(e);
    const V3<L> line =
        NormalizedOr(p.End(end) - p.Pos(effector.root_node), V3<L>::Set({}), 1e-6f);
    const L straight = Straightness(p, end, line);
    const auto bends = where & (straight > L::Set(0));
    if (None(bends)) continue;
    const V3<L> rest = p.FromParent(effector.root_node, V3<L>::Set(chain.rest_bend));
    const V3<L> side =
        NormalizedOr(NegMulAdd(line, Dot(rest, line), rest), AnyOrthogonal(line), 1e-3f);
    const V3<L> axis = Cross(side, line);
    for (int n = effector.node; n != effector.root_node; n = p.group.nodes[n].parent) {
      const JointBound& bound = p.group.nodes[n].bound;
      if (!p.group.nodes[n].turns) continue;
      V3<L> turn = p.ToParent(n, axis);
      if (p.IsHinge(n)) {
        const V3<L> hinge = V3<L>::Set(bound.parent_axis);
        turn = hinge * CopySign(L::Set(1), Dot(hinge, turn));
      }
      auto outside = L::Set(1) < L::Set(0);
      const Q4<L> by = FromRotationVector(turn * (straight * L::Set(kBendStart)));
      const Q4<L> q = Clamp(bound, Normalized(by * p.Quat(n)), outside);
      p.Put4(p.quat + 4 * n, Select(bends, q, p.Quat(n)));
    }
  }
  p.Forward();
}

}  // namespace HWY_NAMESPACE
}  // namespace ikstream
HWY_AFTER_NAMESPACE();

#endif  // IKSTREAM_CORE_SOLVERS_BODY_BEND_INL_H_
