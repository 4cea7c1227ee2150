# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The truth holds what it promises, for every kind: by kinematics of the clean clip's text."""

import math
import unittest

from . import support
from .support import limb_points, motion_of, truth_of

# In metres and at the highest rate, where steps between frames say most.
OPTIONS = ("--fps", "120", "--units", "m", "--seed", "7")
DT = 1.0 / 120.0


def each_kind(test):
    def run(self):
        for kind in support.ALL:
            with self.subTest(kind=kind):
                test(self, truth_of(kind, *OPTIONS), motion_of(kind, "clean.bvh", *OPTIONS))

    return run


def feet(truth):
    return [limb for limb in truth["limbs"] if limb["kind"] == "foot"]


def anchor(limb):
    return "toe" if "toe" in limb["positions"] else "ankle"


def speeds(points):
    return [math.dist(a, b) / DT for a, b in zip(points, points[1:])]


class Truth(unittest.TestCase):
    @each_kind
    def test_positions_are_those_of_the_clean_clip(self, truth, clean):
        """So bones keep their length, and legs end exactly where the plan has the feet."""
        self.assertEqual(truth["frames"], len(clean.rows))
        for limb in truth["limbs"]:
            ankle = limb["joints"]["ankle"]
            toe = limb["joints"].get("toe", ankle + "/end")
            names = {"ankle": ankle, "toe": toe, "tip": toe + "/end"}
            for key, flat in limb["positions"].items():
                for a, b in zip(support.triples(flat), clean.track(names[key])):
                    self.assertLess(math.dist(a, b), 3e-6)

    @each_kind
    def test_planted_points_rest(self, truth, clean):
        for limb in truth["limbs"]:
            points = limb_points(truth, limb)
            self.assertTrue(limb["contacts"])
            self.assertEqual(limb["contacts"], limb["planted"][anchor(limb)])
            for key, intervals in limb["planted"].items():
                for begin, end in intervals:
                    for f in range(begin, end - 1):
                        step = math.dist(points[key][f], points[key][f + 1])
                        self.assertLess(step, 0.00005)
                    self.assertLess(
                        math.dist(points[key][begin], points[key][end - 1]), 0.00005
                    )

    @each_kind
    def test_no_foot_is_in_the_ground_and_planted_feet_stand_on_it(self, truth, clean):
        for limb in feet(truth):
            points = limb_points(truth, limb)
            for key, sole in limb["sole"].items():
                stand = {f for a, b in limb["planted"][key] for f in range(a, b)}
                for f, point in enumerate(points[key]):
                    height = support.ground_height(truth["terrain"], point)
                    if height is None:
                        self.assertEqual(truth["kind"], "ledge")
                        self.assertNotIn(f, stand)
                        continue
                    self.assertGreater(height - sole, -0.0005, (limb["name"], key, f))
                    if f in stand:
                        self.assertLess(height - sole, 0.0005, (limb["name"], key, f))

    @each_kind
    def test_feet_travel_between_contacts_and_do_not_rest_there(self, truth, clean):
        for limb in feet(truth):
            points = limb_points(truth, limb)[anchor(limb)]
            fast = speeds(points)
            gaps = zip(limb["contacts"], limb["contacts"][1:])
            for (_, leave), (land, _) in gaps:
                self.assertGreater((land - leave) * DT, 0.2)
                self.assertGreater(max(fast[leave:land]), 0.5)
                # At a boundary a frame may lie in the first millimetre of the swing.
                away = fast[leave + 2 : land - 3]
                if truth["kind"] != "ledge":  # There it hangs over the edge.
                    self.assertGreater(min(away), 0.001)

    @each_kind
    def test_speed_ramps_take_at_least_80_ms(self, truth, clean):
        """From rest to the first peak of the anchor's speed, at both ends of a contact."""
        for limb in truth["limbs"]:
            fast = speeds(limb_points(truth, limb)[anchor(limb)])
            for begin, end in limb["contacts"]:
                for ramp in (fast[end - 1 :], fast[:begin][::-1]):
                    rise = next(
                        (k for k in range(len(ramp) - 1) if ramp[k + 1] < ramp[k]), None
                    )
                    if rise is not None:  # Else the clip ends before the peak.
                        self.assertGreaterEqual(
                            (rise + 1) * DT, 0.08 - 1e-9, (limb["name"], end)
                        )

    @each_kind
    def test_joints_do_not_jump(self, truth, clean):
        """Steps are within 1000 degrees/s, and change by what 0.1 s of ramp allows."""
        turns = [c for c, (_, name) in enumerate(clean.columns) if name.endswith("rotation")]
        for a, b, c in zip(clean.rows, clean.rows[1:], clean.rows[2:]):
            for k in turns:
                self.assertLess(abs(b[k] - a[k]) / DT, 1000.0)
                self.assertLess(abs(c[k] - 2.0 * b[k] + a[k]) / DT, 300.0)
        self.assertLess(max(speeds(clean.track("Hips"))), 4.0)

    @each_kind
    def test_knees_are_hinges_that_never_invert_or_overreach(self, truth, clean):
        for limb in feet(truth):
            knee = limb["joints"]["knee"]
            # A pony's elbow folds the other way.
            sign = -1.0 if knee.endswith("ForeArm") else 1.0
            for channel in ("Yrotation", "Zrotation"):
                self.assertLess(max(map(abs, clean.channel(knee, channel))), 1e-5)
            bends = [sign * x for x in clean.channel(knee, "Xrotation")]
            self.assertGreater(min(bends), 5.0)
            self.assertLess(max(bends), 150.0)
            tracks = (clean.track(limb["joints"][j]) for j in ("hip", "ankle"))
            reach = max(map(math.dist, *tracks)) / truth["leg_length"]
            self.assertLess(reach, 0.993 if truth["kind"] == "still" else 0.986)

    @each_kind
    def test_knees_point_forward(self, truth, clean):
        """The bend's direction is where the pelvis looks, within 60 degrees."""
        hips, spine = clean.track("LeftUpLeg"), clean.track("RightUpLeg")
        for limb in feet(truth):
            sign = -1.0 if limb["joints"]["knee"].endswith("ForeArm") else 1.0
            tracks = zip(*(clean.track(limb["joints"][j]) for j in ("hip", "knee", "ankle")))
            for (hip, knee, ankle), left, right in zip(tracks, hips, spine):
                x, z = left[0] - right[0], left[2] - right[2]
                forward = (-z / math.hypot(x, z), x / math.hypot(x, z))
                line = [b - a for a, b in zip(hip, ankle)]
                share = sum(a * (k - h) for a, k, h in zip(line, knee, hip)) / sum(
                    a * a for a in line
                )
                out = [k - h - share * a for k, h, a in zip(knee, hip, line)]
                ahead = sign * (out[0] * forward[0] + out[2] * forward[1])
                self.assertGreater(ahead, 0.25 * math.hypot(*out))


class Kinds(unittest.TestCase):
    def test_a_loop_closes(self):
        for which in ("clean.bvh", "bvh"):
            motion = motion_of("loop", which, *OPTIONS)
            first, last = motion.rows[0], motion.rows[-1]
            for a, b in zip(first[3:], last[3:]):
                self.assertAlmostEqual(a, b, delta=2e-6)
            self.assertAlmostEqual(first[1], last[1], delta=2e-6)

    def test_a_platform_carries_its_feet(self):
        truth = truth_of("platform", *OPTIONS)
        limb = truth["limbs"][0]
        begin, end = limb["contacts"][1]
        world = support.triples(limb["positions"]["toe"])
        self.assertGreater(math.dist(world[begin], world[end - 1]), 0.02)
        q = truth["platforms"][0]["rotations"]
        for f in range(truth["frames"]):
            self.assertAlmostEqual(sum(x * x for x in q[4 * f : 4 * f + 4]), 1.0, delta=1e-8)

    def test_meshes_face_up_or_upright_out(self):
        for kind in ("stairs", "ledge"):
            mesh = truth_of(kind, *OPTIONS)["terrain"]["meshes"][0]
            corners = support.triples(mesh["positions"])
            for a, b, c in (
                [corners[i] for i in t] for t in support.triples(mesh["triangles"])
            ):
                u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
                self.assertGreaterEqual(u[2] * v[0] - u[0] * v[2], 0.0)

    def test_a_hand_rests_on_the_wall_while_the_body_sways(self):
        truth = truth_of("hands", *OPTIONS)
        hand = next(limb for limb in truth["limbs"] if limb["kind"] == "hand")
        begin, end = hand["contacts"][0]
        root = support.triples(truth["root"])[begin:end]
        self.assertGreater(max(math.dist(root[0], p) for p in root), 0.01)

    def test_standing_still_is_one_contact(self):
        for limb in truth_of("still", *OPTIONS)["limbs"]:
            self.assertEqual(limb["contacts"], [[0, 480]])

    def test_the_hanging_foot_is_slow_low_and_over_nothing(self):
        truth = truth_of("ledge", *OPTIONS)
        right = truth["limbs"][1]
        (_, leave), (land, _) = right["contacts"]
        points = support.triples(right["positions"]["toe"])
        hanging = [
            f
            for f, v in enumerate(speeds(points[leave:land]), leave)
            if v < 0.15 and support.ground_height(truth["terrain"], points[f]) is None
        ]
        self.assertGreater(len(hanging) * DT, 0.5)
        self.assertLess(max(points[f][1] for f in hanging), 0.0)


if __name__ == "__main__":
    unittest.main()
