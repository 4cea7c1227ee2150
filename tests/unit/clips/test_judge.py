# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The judge's own detection of contacts and its ground."""

import math
import unittest

from judge import contacts
from judge.terrain import Terrain, fit_plane


class Detection(unittest.TestCase):
    DT = 1.0 / 60.0

    def detect(self, xs, high=None):
        track = [(x, 0.0, 0.0) for x in xs]
        return contacts.detect(track, high or [0.0] * len(track), self.DT, 1.0)

    def walk(self, speeds):
        xs = [0.0]
        for speed in speeds:
            xs.append(xs[-1] + speed * self.DT)
        return xs

    def test_hysteresis_of_speed(self):
        """0.25 m/s keeps a contact and does not start one."""
        kept = self.detect(self.walk([0.0] * 20 + [0.25] * 20 + [1.0] * 20))
        self.assertEqual(len(kept), 1)
        self.assertTrue(38 <= kept[0][1] <= 42)
        late = self.detect(self.walk([1.0] * 20 + [0.25] * 20 + [0.0] * 20))
        self.assertTrue(38 <= late[0][0] <= 42)

    def test_short_contacts_go_and_short_gaps_are_filled(self):
        self.assertEqual(self.detect(self.walk([1.0] * 20 + [0.0] * 5 + [1.0] * 20)), [])
        filled = self.detect(self.walk([0.0] * 30 + [1.0] * 2 + [0.0] * 30))
        self.assertEqual(len(filled), 1)

    def test_a_slow_foot_that_is_high_or_over_nothing_is_not_planted(self):
        still = self.walk([0.0] * 59)
        self.assertEqual(self.detect(still, [0.0] * 30 + [0.2] * 30)[0][1], 30)
        self.assertEqual(self.detect(still, [0.0] * 30 + [None] * 30), [[0, 30]])

    def test_f1(self):
        self.assertEqual(contacts.f1([[0, 10]], [[0, 10]], 20, self.DT, False), 1.0)
        self.assertAlmostEqual(contacts.f1([[0, 10]], [[5, 15]], 20, self.DT, False), 0.5)
        self.assertEqual(contacts.f1([[0, 11]], [[0, 10]], 20, self.DT, True), 1.0)
        self.assertEqual(contacts.f1([], [[5, 15]], 20, self.DT, False), 0.0)

    def test_contacts_of_a_plan(self):
        plan = {
            "jointNames": ["Hips", "A", "B"],
            "feet": [
                {
                    "foot": {"ankleJoint": 2},
                    "intervals": [{"end": "9"}, {"begin": "12", "end": "20", "ignored": True}],
                }
            ],
        }
        self.assertEqual(contacts.given(plan, []), {"B": [[0, 9]]})


class Ground(unittest.TestCase):
    def test_heights_are_along_the_normal(self):
        slope = {"planes": [{"point": {"y": 1}, "normal": {"y": 4, "z": -3}}]}
        terrain = Terrain(slope, "+Y", 1.0)
        self.assertAlmostEqual(terrain.height((0.0, 1.5, 0.0)), 0.4)
        self.assertAlmostEqual(terrain.height((5.0, 1.75, 1.0)), 0.0)

    def test_a_height_field_in_both_axes(self):
        field = {
            "origin": {"x": 1, "z": 2},
            "cell_i": 1,
            "cell_j": 2,
            "count_i": 2,
            "count_j": 2,
            "heights": [0.0, 0.0, 0.0, 0.3],
        }
        y_up = Terrain({"height_fields": [field]}, "+Y", 1.0)
        # In the triangle of (0, 0), (0, 1), (1, 1): flat along j, then 0.3 up along i.
        self.assertAlmostEqual(y_up.height((1.2, 0.0, 3.8)), -0.06 / math.hypot(1.0, 0.3))
        self.assertIsNone(y_up.height((0.9, 0.0, 3.0)))
        z_up = Terrain({"height_fields": [dict(field, origin={"x": 1, "y": 2})]}, "+Z", 1.0)
        self.assertAlmostEqual(z_up.height((1.2, 3.8, 0.0)), y_up.height((1.2, 0.0, 3.8)))

    def test_a_mesh_ends_at_its_edge_and_far_ground_is_none(self):
        mesh = {
            "positions": [0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0],
            "triangles": [0, 1, 2, 0, 2, 3],
        }
        terrain = Terrain({"meshes": [mesh]}, "+Y", 1.0)
        self.assertAlmostEqual(terrain.height((0.5, 0.1, 0.2)), 0.1)
        self.assertIsNone(terrain.height((1.5, 0.1, 0.2)))
        self.assertIsNone(terrain.height((0.5, 0.7, 0.2)))
        self.assertIsNone(terrain.height((0.5, -0.5, 0.2)))

    def test_a_fitted_plane_ignores_what_does_not_fit(self):
        spots = [(x, 0.1 * x + 0.02 * z, z) for x in (0, 1, 2) for z in (0, 1, 2)]
        spots.append((1.0, 5.0, 1.0))
        terrain = Terrain(fit_plane(spots, "+Y"), "+Y", 1.0)
        self.assertAlmostEqual(terrain.height((2.0, 0.22, 1.0)), 0.0, places=9)
