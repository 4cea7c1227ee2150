# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""`ikstream clean` given what cannot be cleaned: it says why, and leaves the clip alone."""

import json
import unittest

import harness

WALK = harness.SAMPLES / "walk_flat.bvh"
FRAMES = 120
POLE = """HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT b
{
OFFSET 0 1 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0
"""


def field(count, heights):
    cells = {"origin": {}, "cellI": 1, "cellJ": 1, "countI": count, "countJ": 2}
    return {"heightFields": [{**cells, "heights": heights}]}


class Mistakes(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "clean.bvh"

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def part(self, name, change):
        """A clip of the walk's rows as `change` makes them."""
        head, motion = WALK.read_text().split("MOTION\n")
        lines = motion.splitlines()
        rows = change(lines[2:])
        text = "\n".join([f"Frames: {len(rows)}", lines[1], *rows, ""])
        return self.write(name, f"{head}MOTION\n{text}")

    def test_terrain_that_is_none(self):
        for says, ground in (
            ("heights[1]: is not finite", field(2, [0, "NaN", 0, 0])),
            ("count_i: 0 is too few", field(0, [])),
            ("planes[0].point: is not finite", {"planes": [{"point": {"y": "NaN"}}]}),
            ("the terrain has no surface", {}),
        ):
            path = self.write("ground.json", json.dumps(ground))
            self.fails(3, says, args=("clean", WALK, "-o", self.out, "--terrain", path))
        self.assertEqual(self.files(), ["ground.json"])

    def test_contacts_outside_the_clip(self):
        late = f"--contacts=left=3:{FRAMES + 1}"
        says = f"end: {FRAMES + 1} is beyond the {FRAMES} frames"
        self.fails(3, says, args=("clean", WALK, "-o", self.out, late))
        tail = "--contacts=tail=0:9"
        self.fails(2, "no foot `tail`", args=("clean", WALK, "-o", self.out, tail))
        self.assertEqual(self.files(), [])

    def test_clips_that_show_no_motion_come_back_as_they_are(self):
        for name, count, says in (("one.bvh", 1, "no foot is ever planted"), ("still.bvh", 60, "")):
            clip = self.part(name, lambda rows, count=count: rows[:1] * count)
            self.assertIn(says, self.ok("clean", clip, "-o", self.out).out)
            self.assertEqual(self.out.read_bytes(), clip.read_bytes(), name)

    def test_a_joint_that_never_moves(self):
        joints = [line.split()[1] for line in WALK.read_text().splitlines() if "JOINT" in line]
        column = 6 + 3 * joints.index("LeftLeg")

        def stiff(rows):
            cells = [row.split() for row in rows]
            return [" ".join(c[:column] + ["0"] * 3 + c[column + 3 :]) for c in cells]

        report = self.folder / "report.json"
        self.ok("clean", self.part("stiff.bvh", stiff), "-o", self.out, "--report", report)
        for text in (report.read_text(), self.out.read_text()):
            self.assertNotIn("nan", text.lower())
        self.assertTrue(json.loads(report.read_text()))

    def test_no_legs(self):
        clip = self.write("pole.bvh", POLE)
        self.fails(3, "no pair of legs was found", args=("clean", clip, "-o", self.out))
        self.fails(3, "there are no legs", args=("clean", clip, "-o", self.out, "--up=y"))
        self.assertEqual(self.files(), ["pole.bvh"])


if __name__ == "__main__":
    unittest.main()
