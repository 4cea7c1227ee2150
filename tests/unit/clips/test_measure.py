# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The judge tells what is known beforehand: of clips made by hand, and of generated ones."""

import contextlib
import io
import json
import os
import tempfile
import unittest

import measure
from judge import figures
from judge.clip import Clip, ClipError
from judge.terrain import Terrain

from . import support

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


def report_of(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = measure.main(list(arguments))
    return code, out.getvalue() or err.getvalue()


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def leg(self, name, poses):
        return leg_clip(self.folder, name, poses)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii", newline="\n") as out:
            out.write(text)
        return path

    def generated(self, kind, *options):
        files = support.made(kind, *options)
        return {end: self.write(f"{kind}.{end}", text) for end, text in files.items()}


class ByHand(Scratch):
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
        floor = Terrain({"planes": [{"point": [0, 0, 0], "normal": [0, 1, 0]}]}, "+Y", 1.0)
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

    def test_the_change_of_joints(self):
        a = self.leg("a.bvh", [(0.0, 0.85, 0.0, 0.0)] * 30)
        b = self.leg("b.bvh", [(0.0, 0.85, 0.004, 0.0)] * 30)
        _, text = report_of(a, b, "--floor", "0", "--json")
        change = json.loads(text)["change"]
        self.assertAlmostEqual(change["joints_mean_mm"], 4.0, places=6)
        self.assertAlmostEqual(change["pelvis_max_mm"], 4.0, places=6)


class Generated(Scratch):
    def test_the_truth_is_accepted_as_its_own_clean_up(self):
        for kind in ("walk_flat", "rough", "stairs", "platform", "ledge", "hands", "quadruped"):
            files = self.generated(kind)
            truth = ("--truth", files["truth.json"])
            code, text = report_of(files["bvh"], files["clean.bvh"], *truth, "--accept")
            self.assertEqual(code, 0, text)
            code, text = report_of(
                files["bvh"], files["clean.bvh"], *truth, "--contacts", truth[1], "--accept"
            )
            self.assertEqual(code, 0, text)

    def test_a_flawed_clip_is_not(self):
        files = self.generated("walk_flat")
        code, text = report_of(
            files["bvh"], files["bvh"], "--truth", files["truth.json"], "--accept"
        )
        self.assertEqual(code, 1)
        for fault in ("slide", "lowest point", "off the true height"):
            self.assertIn(fault, text)

    def test_z_up_and_metres_have_the_same_figures(self):
        results = []
        for options in ((), ("--units", "m", "--up", "z")):
            files = self.generated("rough", *options)
            _, text = report_of(files["bvh"], "--truth", files["truth.json"], "--json")
            results.append(json.loads(text)["limbs"])
        for name, rows in results[0].items():
            for key, value in rows["before"].items():
                other = results[1][name]["before"][key]
                self.assertAlmostEqual(value, other, delta=2e-3 * max(1.0, abs(value)), msg=key)

    def test_without_a_truth_legs_units_and_floor_are_found(self):
        files = self.generated("walk_flat", "--penetration", "0")
        code, text = report_of(files["bvh"], "--json")
        self.assertEqual(code, 0, text)
        result = json.loads(text)
        self.assertAlmostEqual(result["per_metre"], 100.0, places=3)
        self.assertEqual(list(result["limbs"]), ["LeftFoot", "RightFoot"])
        for rows in result["limbs"].values():
            self.assertTrue(30.0 < rows["before"]["slide_mm_per_second"] < 90.0)


class Refusals(Scratch):
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
