# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The shipped clips are what the generator makes, small, and show what they are shipped for."""

import contextlib
import io
import json
import os
import tempfile
import unittest

from make_clips import cli

from . import DATA, support

SHIPPED = os.path.join(DATA, "samples")


def contents(folder):
    result = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as source:
            result[name] = source.read()
    return result


class Samples(unittest.TestCase):
    def test_they_are_made_again_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(cli.main([folder, "--samples"]), 0)
            again, shipped = contents(folder), contents(SHIPPED)
        self.assertEqual(list(again), list(shipped))
        for name, text in again.items():
            self.assertTrue(text == shipped[name], name + " differs")

    def test_they_are_small(self):
        self.assertLess(sum(map(len, contents(SHIPPED).values())), 600_000)

    def test_their_flaws_can_be_seen(self):
        """Planted feet slide by 1 to 3 mm a frame, and sink by about 20 mm."""
        for kind in ("walk_flat", "rough"):
            files = contents(SHIPPED)
            truth = json.loads(files[kind + ".truth.json"])
            flawed = support.Motion(files[kind + ".bvh"].decode("ascii"))
            mm = 1000.0 / truth["units_per_metre"]
            for limb in truth["limbs"]:
                track = flawed.track(limb["joints"]["toe"])
                steps = [
                    mm
                    * sum((a - b) ** 2 for a, b in zip(track[f][::2], track[f + 1][::2])) ** 0.5
                    for begin, end in limb["contacts"]
                    for f in range(begin, end - 1)
                ]
                self.assertTrue(1.0 < sum(steps) / len(steps) < 3.0)
                sunk = [
                    mm * (support.ground_height(truth["terrain"], p) - limb["sole"]["toe"])
                    for p in track
                ]
                self.assertTrue(-35.0 < min(sunk) < -15.0, min(sunk))


if __name__ == "__main__":
    unittest.main()
