# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A flawed clip differs from its truth by what was asked, and by nothing else."""

import contextlib
import io
import json
import math
import os
import tempfile
import unittest

from make_clips import cli

from . import support
from .support import made, motion_of, truth_of

SHORT = ("--seconds", "3", "--fps", "30")


def rms(values):
    values = list(values)
    return math.sqrt(sum(v * v for v in values) / len(values))


def differences(kind, *options):
    """Per column of the motion, flawed minus clean."""
    clean, flawed = (motion_of(kind, which, *options) for which in ("clean.bvh", "bvh"))
    columns = zip(zip(*clean.rows), zip(*flawed.rows))
    return clean.columns, [[b - a for a, b in zip(x, y)] for x, y in columns]


class Damage(unittest.TestCase):
    def test_only_the_motion_differs(self):
        for kind in support.ALL:
            clean, flawed = (motion_of(kind, which) for which in ("clean.bvh", "bvh"))
            self.assertEqual(clean.header, flawed.header)
            self.assertEqual(len(clean.rows), len(flawed.rows))

    def test_the_root_slides_and_sinks_as_asked(self):
        options = ("--skate", "30", "--penetration", "12", "--units", "m", *SHORT)
        for kind in support.ALL:
            _, (x, y, z, *_) = differences(kind, *options)
            speed = [math.hypot(b - a, d - c) * 30.0 for a, b, c, d in zip(x, x[1:], z, z[1:])]
            self.assertAlmostEqual(rms(speed), 0.030, delta=0.0005, msg=kind)
            self.assertAlmostEqual(min(y), -0.012, delta=1e-5, msg=kind)
            self.assertAlmostEqual(max(y), 0.0, delta=1e-5, msg=kind)

    def test_a_negative_penetration_floats(self):
        _, (_, y, *_) = differences("still", "--penetration", "-10", "--units", "m")
        self.assertAlmostEqual(max(y), 0.010, delta=1e-5)

    def test_angles_shake_as_asked_and_legs_less(self):
        for kind in ("walk_flat", "quadruped", "hands"):
            columns, changes = differences(kind, "--jitter", "1", "--seconds", "10")
            index = motion_of(kind, "bvh", "--jitter", "1", "--seconds", "10").index
            for (j, channel), change in zip(columns, changes):
                if not channel.endswith("rotation"):
                    continue
                slight = j in (index["Hips"], index["LeftLeg"], index["RightFoot"])
                if slight or j in (index["Head"], index["Neck"]):
                    wanted = 0.15 if slight else 1.0
                    self.assertAlmostEqual(rms(change), wanted, delta=0.2 * wanted)

    def test_without_flaws_both_files_are_the_same(self):
        options = ("--skate", "0", "--jitter", "0", "--penetration", "0", *SHORT)
        for kind in support.ALL:
            files = made(kind, *options)
            self.assertEqual(files["bvh"], files["clean.bvh"])

    def test_planted_feet_skate_but_can_still_be_told(self):
        """Within 20 to 80 mm/s on the whole, and under the speed that ends a contact."""
        for kind in support.ALL:
            truth, flawed = (
                truth_of(kind, "--units", "m"),
                motion_of(kind, "bvh", "--units", "m"),
            )
            for limb in truth["limbs"]:
                ankle = limb["joints"]["ankle"]
                toe = limb["joints"].get("toe", ankle + "/end")
                track = flawed.track(ankle if limb["kind"] == "hand" else toe)
                if truth["platforms"]:
                    continue  # There the planted foot travels with the ground.
                steps = [
                    60.0 * math.dist(track[f - 1], track[f + 1]) / 2.0
                    for a, b in limb["contacts"]
                    for f in range(a + 1, b - 1)
                ]
                self.assertTrue(0.02 < rms(steps) < 0.11, (kind, limb["name"], rms(steps)))
                self.assertLess(sorted(steps)[int(0.99 * len(steps))], 0.35)


class Repeatability(unittest.TestCase):
    def test_the_same_seed_makes_the_same_bytes_and_another_does_not(self):
        for kind in support.ALL:
            first = made(kind, "--seed", "5", *SHORT)
            support.made.cache_clear()
            self.assertEqual(first, made(kind, "--seed", "5", *SHORT))
            self.assertNotEqual(first["bvh"], made(kind, "--seed", "6", *SHORT)["bvh"])

    def test_a_clip_is_the_same_motion_at_every_rate(self):
        for kind in support.ALL:
            rows = {
                fps: motion_of(kind, "clean.bvh", "--seconds", "3", "--fps", str(fps)).rows
                for fps in (30, 60, 120)
            }
            for fps in (30, 60):
                thinned = rows[120][:: 120 // fps]
                self.assertEqual(len(thinned), len(rows[fps]))
                for a, b in zip(thinned, rows[fps]):
                    self.assertLess(max(abs(x - y) for x, y in zip(a, b)), 2e-5)


class Axes(unittest.TestCase):
    def test_units_only_scale(self):
        a, b = (motion_of("rough", "bvh", "--units", u) for u in ("m", "cm"))
        for p, q in zip(a.positions[::40], b.positions[::40]):
            for x, y in zip(p, q):
                self.assertLess(max(abs(100.0 * s - t) for s, t in zip(x, y)), 1e-3)

    def test_z_up_is_the_same_figure(self):
        """(x, y, z) becomes (z, x, y): X forward, Y left, Z up."""
        for kind in ("rough", "turn_in_place", "quadruped"):
            a, b = (motion_of(kind, "bvh", "--up", up) for up in "yz")
            for p, q in zip(a.positions[::40], b.positions[::40]):
                for x, y in zip(p, q):
                    self.assertLess(math.dist((x[2], x[0], x[1]), y), 1e-3)

    def test_z_up_is_the_same_ground(self):
        y_up, z_up = (truth_of("rough", "--up", up) for up in "yz")
        self.assertEqual((y_up["up"], z_up["up"]), ("+Y", "+Z"))
        a, b = (t["terrain"]["height_fields"][0] for t in (y_up, z_up))
        self.assertEqual((a["count_i"], a["count_j"]), (b["count_j"], b["count_i"]))
        for i in range(a["count_i"]):
            for j in range(a["count_j"]):
                here = a["heights"][i * a["count_j"] + j]
                self.assertEqual(here, b["heights"][j * b["count_j"] + i])
        x, y, z = support.xyz(a["origin"])
        self.assertEqual(support.xyz(b["origin"]), (z, x, y))


class CommandLine(unittest.TestCase):
    def run_cli(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = cli.main(list(arguments))
            except SystemExit as stop:
                code = stop.code
        return code, out.getvalue(), err.getvalue()

    def test_bad_options_are_refused(self):
        bad = (
            ["--kind", "moonwalk"],
            ["--fps", "25"],
            ["--seconds", "1e9"],
            ["--seconds", "nan"],
            ["--skate", "-1"],
            ["--samples", "--seed", "2"],
            ["--up", "x"],
        )
        with tempfile.TemporaryDirectory() as folder:
            for options in bad:
                code, _, err = self.run_cli(folder, *options)
                self.assertEqual(code, 2, options)
                self.assertIn("error:", err)
            self.assertEqual(os.listdir(folder), [])

    def test_a_folder_that_cannot_be_made_is_an_error(self):
        with tempfile.NamedTemporaryFile() as file:
            code, _, err = self.run_cli(file.name, "--kind", "still")
            self.assertEqual(code, 1)
            self.assertIn(file.name, err)

    def test_files_are_named_and_a_mesh_has_an_obj(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, _ = self.run_cli(folder, "--kind", "ledge", "still", "--seconds", "3")
            self.assertEqual(code, 0)
            names = ["ledge.bvh", "ledge.obj", "ledge.terrain.json", "ledge.truth.json"]
            names += ["still.bvh", "still.terrain.json", "still.truth.json"]
            self.assertEqual(sorted(os.listdir(folder)), names)
            self.assertEqual(sorted(map(os.path.basename, out.split())), names)
            with open(os.path.join(folder, "ledge.obj"), encoding="ascii") as source:
                lines = source.read().split("\n")
            with open(os.path.join(folder, "ledge.truth.json"), encoding="ascii") as source:
                terrain = json.load(source)["terrain"]
            with open(os.path.join(folder, "ledge.terrain.json"), encoding="ascii") as source:
                self.assertEqual(json.load(source), terrain)
            mesh = terrain["meshes"][0]
            self.assertEqual(
                sum(line.startswith("v ") for line in lines), len(mesh["positions"]) // 3
            )
            self.assertEqual(
                sum(line.startswith("f ") for line in lines), len(mesh["triangles"]) // 3
            )


if __name__ == "__main__":
    unittest.main()
