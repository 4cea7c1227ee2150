# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The judge tells what is known beforehand of clips made by hand."""

import json
import os
import unittest

from judge import figures
from judge.clip import Clip, ClipError
from judge.terrain import Terrain

from .support import Scratch, report_of

# A leg of 0.85 m whose hip is the root: it stands straight, or is dragged by the root.
LEG = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT UpLeg
  {
    OFFSET 0 0 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT Leg
    {
      OFFSET 0 -0.45 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      JOINT Foot
      {
        OFFSET 0 -0.4 0
        CHANNELS 3 Zrotation Yrotation Xrotation
        End Site
        {
          OFFSET 0 0 0.1
        }
      }
    }
  }
}
MOTION
"""


def leg_clip(folder, name, poses, dt=1.0 / 60.0):
    """Poses are (x, y, z) of the root and the knee's angle in degrees."""
    rows = [f"{x} {y} {z} 0 0 0 0 0 0 0 0 {knee} 0 0 0" for x, y, z, knee in poses]
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as out:
        out.write(LEG + "\n".join([f"Frames: {len(rows)}", f"Frame Time: {dt}"] + rows) + "\n")
    return path


class LegClips(Scratch):
    def leg(self, name, poses):
        return leg_clip(self.folder, name, poses)


class ByHand(LegClips):
    def figures(self, poses, *options):
        path = self.leg("a.bvh", poses)
        code, text = report_of(path, "--floor", "0", "--json", *options)
        self.assertEqual(code, 0, text)
        return json.loads(text)["limbs"]["Foot"]["before"]

    def test_a_dragged_foot_slides_by_its_step(self):
        result = self.figures([(0.002 * f, 0.85, 0.0, 0.0) for f in range(60)])
        self.assertEqual(result["contacts"], 1)
        self.assertAlmostEqual(result["slide_mm_per_frame"], 2.0, places=6)
        self.assertAlmostEqual(result["slide_mm_per_second"], 120.0, places=4)
        self.assertAlmostEqual(result["worst_drift_mm"], 2.0 * 28, delta=2.1)
        self.assertAlmostEqual(result["reach_max"], 1.0, places=9)

    def test_up_and_down_is_no_slide_but_sinks_and_floats(self):
        """Three frames 9 mm deep, and ten of the middle 34 are 4 mm high."""
        heights = [0.85] * 20 + [0.841] * 3 + [0.85] * 7 + [0.854] * 10 + [0.85] * 20
        clip = Clip(self.leg("a.bvh", [(0.0, y, 0.0, 0.0) for y in heights]))
        joints = {"hip": "UpLeg", "knee": "Leg", "ankle": "Foot"}
        limb = figures.Limb(clip, {"name": "Foot", "joints": joints})
        floor = Terrain({"planes": [{"point": {}, "normal": {"y": 1}}]}, "+Y", 1.0)
        high, soles = figures.heights(limb, floor), {"ankle": 0.0, "toe": 0.0}
        scale = figures.Scale(1.0 / 60.0, 1.0, "+Y")
        result = figures.measure(limb, high, soles, [[0, 60]], scale)
        self.assertAlmostEqual(result["slide_mm_per_frame"], 0.0, places=9)
        self.assertAlmostEqual(result["lowest_mm"], -9.0, places=6)
        self.assertEqual(result["frames_5mm_deep"], 3)
        self.assertAlmostEqual(result["floating_p95_mm"], 4.0, places=6)

    def test_the_knee_turns_at_its_speed(self):
        result = self.figures([(0.0, 0.85, 0.0, 20.0 + f) for f in range(60)])
        self.assertAlmostEqual(result["knee_p99_deg_s"], 60.0, places=4)
        self.assertAlmostEqual(result["knee_max_deg_s"], 60.0, places=4)

    def test_jerk_near_edges(self):
        """A cubic way has one jerk: x = t^3 has 6 m/s^3."""
        track = [((f / 60.0) ** 3, 0.0, 0.0) for f in range(120)]
        self.assertAlmostEqual(figures.edge_jerk(track, [[40, 80]], 1 / 60, 1.0), 6.0, places=4)
        self.assertEqual(figures.edge_jerk(track, [[0, 120]], 1 / 60, 1.0), 0.0)

    def test_a_reference_pose_is_left_out(self):
        poses = [(0.3, 0.95, 0.0, 90.0)] + [(0.001 * f, 0.85, 0.0, 0.1 * f) for f in range(60)]
        path = self.leg("a.bvh", poses)
        _, text = report_of(path, "--json")
        result = json.loads(text)
        self.assertEqual(result["notes"], ["frame 0 is a reference pose: left out"])
        self.assertAlmostEqual(
            result["limbs"]["Foot"]["before"]["knee_max_deg_s"], 6.0, places=4
        )

    def test_the_floor_without_plants_is_where_the_foot_is_lowest(self):
        clip = self.leg("a.bvh", [(0.1 * f, 1.85, 0.0, 0.0) for f in range(60)])
        _, text = report_of(clip, "--json")
        result = json.loads(text)
        self.assertEqual(result["floor"], "level at the 2nd percentile of the lowest points")
        self.assertAlmostEqual(result["limbs"]["Foot"]["before"]["lowest_mm"], 0.0, places=6)

    def test_the_change_of_joints(self):
        a = self.leg("a.bvh", [(0.0, 0.85, 0.0, 0.0)] * 30)
        b = self.leg("b.bvh", [(0.0, 0.85, 0.004, 0.0)] * 30)
        _, text = report_of(a, b, "--floor", "0", "--json")
        change = json.loads(text)["change"]
        self.assertAlmostEqual(change["joints_mean_mm"], 4.0, places=6)
        self.assertAlmostEqual(change["pelvis_max_mm"], 4.0, places=6)


class Refusals(LegClips):
    def test_files_that_are_no_clips(self):
        cases = {
            "": "no skeleton",
            "hello": "unexpected",
            LEG: "no frames",
            LEG + "Frames: 1\nFrame Time: 0.1\n1 2\n": ":29: expected 15 numbers",
        }
        for text, message in cases.items():
            with self.assertRaisesRegex(ClipError, message):
                Clip(self.write("x.bvh", text))

    def test_clips_that_do_not_belong_together(self):
        a = self.leg("a.bvh", [(0.0, 0.85, 0.0, 0.0)] * 30)
        b = self.leg("b.bvh", [(0.0, 0.85, 0.0, 0.0)] * 29)
        code, text = report_of(a, b, "--floor", "0")
        self.assertEqual(code, 2)
        self.assertIn("not the same joints and frames", text)
        files = self.generated("still")
        code, text = report_of(a, "--truth", files["truth.json"])
        self.assertEqual(code, 2)
        self.assertIn("other frame count", text)


if __name__ == "__main__":
    unittest.main()
