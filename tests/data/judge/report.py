# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""From files to figures: what measure.py prints."""

import json
import math

from . import contacts, figures
from .clip import Clip, ClipError, find_limbs
from .terrain import Terrain, fit_plane


class Study:
    """A source clip, perhaps a cleaned one, and what is known about them."""

    def __init__(self, options):
        self.options, self.notes = options, []
        self.truth = _read(options.truth) if options.truth else {}
        self.source = Clip(options.source, options.positions)
        self.cleaned = Clip(options.cleaned, options.positions) if options.cleaned else None
        self._check()
        self.up = self.truth.get("up", "+" + options.up.upper())
        self.specs = self.truth.get("limbs") or find_limbs(self.source)
        if not self.specs:
            raise ClipError(f"{options.source}: no leg found by name; give --truth")
        self._leave_out_reference_pose()
        self._onto_platform()
        self.limbs = [figures.Limb(self.source, spec) for spec in self.specs]
        lengths = [limb.length for limb in self.limbs if limb.is_foot]
        self.per_metre = self.truth.get("units_per_metre") or sum(lengths) / len(lengths) / 0.85
        self.terrain, self.floor_name = self._terrain()
        self.plants = self._plants()

    def _check(self):
        source, other = self.source, self.cleaned
        if other and (
            other.names != source.names or len(other.positions) != len(source.positions)
        ):
            raise ClipError(f"{other.path}: not the same joints and frames as {source.path}")
        if self.truth and self.truth["frames"] != len(source.positions):
            raise ClipError(f"{self.options.truth}: not of {source.path}: other frame count")

    def _leave_out_reference_pose(self):
        """A frame 0 that jumps counts as frame 1, so that frames keep their numbers."""
        frames = self.source.positions
        steps = [max(map(math.dist, a, b)) for a, b in zip(frames, frames[1:])]
        jumps = len(steps) > 2 and steps[0] > 3.0 * contacts.percentile(steps[1:], 0.99)
        if jumps and not self.truth:
            for clip in filter(None, (self.source, self.cleaned)):
                clip.positions[0] = clip.positions[1]
            self.notes.append("frame 0 is a reference pose: left out")

    def _onto_platform(self):
        """On a platform everything is judged in its frame."""
        tracks = self.truth.get("platforms", [])
        if not tracks:
            return
        positions, rotations = (
            _rows(tracks[0]["positions"], 3),
            _rows(tracks[0]["rotations"], 4),
        )
        for clip in filter(None, (self.source, self.cleaned)):
            clip.positions = [
                [_into(p, x, q) for x in frame]
                for frame, p, q in zip(clip.positions, positions, rotations)
            ]
        for spec in self.specs:
            for key, flat in spec["positions"].items():
                rows = zip(_rows(flat, 3), positions, rotations)
                spec["positions"][key] = [c for x, p, q in rows for c in _into(p, x, q)]

    def _terrain(self):
        if self.truth:
            return self._ground(self.truth["terrain"]), "terrain of the truth"
        level = self._level(self.options.floor or 0.0)
        if self.options.floor is not None:
            return level, f"level at {self.options.floor:g}"
        spots = []
        for limb in self.limbs:
            lowest = min(point[1 if self.up == "+Y" else 2] for point in limb.anchor)
            high = [point[1 if self.up == "+Y" else 2] - lowest for point in limb.anchor]
            for a, b in contacts.detect(limb.anchor, high, self.source.dt, self.per_metre):
                spots.append(figures.median_point(limb.anchor, a, b))
        if len(spots) < 3:
            return self._level(
                self._low_point()
            ), "level at the 2nd percentile of the lowest points"
        return self._ground(fit_plane(spots, self.up)), "fitted to plants"

    def _low_point(self):
        u = 1 if self.up == "+Y" else 2
        tracks = [track for limb in self.limbs for track in limb.points.values()]
        return contacts.percentile([min(p[u] for p in row) for row in zip(*tracks)], 0.02)

    def _level(self, height):
        axis = "y" if self.up == "+Y" else "z"
        return self._ground({"planes": [{"point": {axis: height}, "normal": {axis: 1.0}}]})

    def _ground(self, fields):
        return Terrain(fields, self.up, self.per_metre)

    def _plants(self):
        if self.options.contacts:
            known = contacts.given(_read(self.options.contacts), self.source.names)
            return {limb.name: self._within(known.get(limb.name, [])) for limb in self.limbs}
        return {limb.name: self._find(limb) for limb in self.limbs}

    def _within(self, intervals):
        """Intervals of a loop reach into the rounds before and after."""
        last = len(self.source.positions)
        cut = [[max(0, a), min(last, b)] for a, b in intervals]
        return [interval for interval in cut if interval[1] > interval[0]]

    def _find(self, limb):
        if not limb.is_foot:
            return self._true_contacts(limb.name)
        high = [self.terrain.height(p) for p in limb.anchor]
        return contacts.detect(limb.anchor, high, self.source.dt, self.per_metre)

    def _true_contacts(self, name):
        return next((s["contacts"] for s in self.specs if s["name"] == name and self.truth), [])

    def report(self):
        result = {
            "per_metre": self.per_metre,
            "up": self.up,
            "floor": self.floor_name,
            "notes": self.notes,
            "limbs": {},
        }
        for limb, spec in zip(self.limbs, self.specs):
            result["limbs"][limb.name] = self._limb(limb, spec)
        if self.cleaned:
            result["change"] = figures.change(self.source, self.cleaned, self.per_metre)
        return result

    def _limb(self, limb, spec):
        dt, plants = self.source.dt, self.plants[limb.name]
        scale = figures.Scale(dt, self.per_metre, self.up)
        high = figures.heights(limb, self.terrain) if limb.is_foot else {}
        soles = spec.get("sole") or figures.own_soles(limb, high, dt, self.per_metre)
        rows = {"before": figures.measure(limb, high, soles, plants, scale)}
        after = limb
        if self.cleaned:
            after = figures.Limb(self.cleaned, spec)
            high = figures.heights(after, self.terrain) if limb.is_foot else {}
            rows["after"] = figures.measure(after, high, soles, plants, scale)
        if self.truth:
            rows.update(self._against_truth(limb, after, spec, scale))
        return rows

    def _against_truth(self, limb, after, spec, scale):
        true = {key: _rows(flat, 3) for key, flat in spec["positions"].items()}
        plants, count = self.plants[limb.name], len(self.source.positions)
        known = spec["contacts"]
        rows = {
            "truth_edge_jerk_p99": figures.edge_jerk(
                true["ankle"], plants, scale.dt, scale.per_metre
            ),
            "f1": contacts.f1(plants, known, count, scale.dt, tolerant=False),
            "f1_tolerant": contacts.f1(plants, known, count, scale.dt, tolerant=True),
        }
        if limb.is_foot:
            middle = contacts.shortened(known, scale.dt)
            rows["against_truth"] = figures.against_truth(
                after, limb, true["toe"], self.terrain, middle, scale
            )
        return rows


def _read(path):
    try:
        with open(path, encoding="utf-8") as source:
            return json.load(source)
    except ValueError as error:
        raise ClipError(f"{path}: {error}") from error


def _rows(flat, width):
    return [tuple(flat[i : i + width]) for i in range(0, len(flat), width)]


def _into(origin, point, q):
    """A world point in the frame of a platform at `origin`, turned by x y z w."""
    x, y, z, w = -q[0], -q[1], -q[2], q[3]
    v = [a - b for a, b in zip(point, origin)]
    t = [2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]), 2.0 * (x * v[1] - y * v[0])]
    c = [y * t[2] - z * t[1], z * t[0] - x * t[2], x * t[1] - y * t[0]]
    return tuple(a + w * b + d for a, b, d in zip(v, t, c))
