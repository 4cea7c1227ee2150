# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The judge on generated clips: the truth passes, a flawed clip does not."""

import json
import unittest

from .support import Scratch, report_of


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
            self.assertRegex(text, "FAILED LeftFoot: " + fault)

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


if __name__ == "__main__":
    unittest.main()
