# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""From files to figures: what measure.py prints, and the acceptance table."""

import json

from . import contacts, figures
from .clip import Clip, ClipError, find_limbs
from .terrain import Terrain, fit_plane


class Study:
    """A source clip, perhaps a cleaned one, and what is known about them."""

    def __init__(self, options):
        self.options = options
        self.truth = _read(options.truth) if options.truth else {}
        self.source = Clip(options.source, options.positions)
        self.cleaned = Clip(options.cleaned, options.positions) if options.cleaned else None
        self._check()
        self.up = self.truth.get("up", "+" + options.up.upper())
        self.specs = self.truth.get("limbs") or find_limbs(self.source)
        if not self.specs:
            raise ClipError(f"{options.source}: no leg found by name; give --truth")
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

    def _onto_platform(self):
        """On a platform everything is judged in its frame."""
        tracks = self.truth.get("platforms", [])
        if not tracks:
            return
        positions, rotations = _rows(tracks[0]["positions"], 3), _rows(tracks[0]["rotations"], 4)
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
            raise ClipError(f"{self.source.path}: fewer than 3 plants to fit a floor to; "
                            "give --floor or --truth")
        return self._ground(fit_plane(spots, self.up)), "fitted to plants"

    def _level(self, height):
        up = [0.0, 1.0, 0.0] if self.up == "+Y" else [0.0, 0.0, 1.0]
        return self._ground({"planes": [{"point": [height * u for u in up], "normal": up}]})

    def _ground(self, fields):
        return Terrain(fields, self.up, self.per_metre)

    def _plants(self):
        if self.options.contacts:
            known = contacts.given(_read(self.options.contacts), self.source.names)
            return {limb.name: known.get(limb.name, []) for limb in self.limbs}
        return {limb.name: self._find(limb) for limb in self.limbs}

    def _find(self, limb):
        if not limb.is_foot:
            return self._true_contacts(limb.name)
        high = [self.terrain.height(p) for p in limb.anchor]
        return contacts.detect(limb.anchor, high, self.source.dt, self.per_metre)

    def _true_contacts(self, name):
        return next((s["contacts"] for s in self.specs if s["name"] == name and self.truth), [])

    def report(self):
        result = {"per_metre": self.per_metre, "up": self.up, "floor": self.floor_name, "limbs": {}}
        for limb, spec in zip(self.limbs, self.specs):
            result["limbs"][limb.name] = self._limb(limb, spec)
        if self.cleaned:
            result["change"] = figures.change(self.source, self.cleaned, self.per_metre)
        return result

    def _limb(self, limb, spec):
        dt, count = self.source.dt, len(self.source.positions)
        plants = self.plants[limb.name]
        high = figures.heights(limb, self.terrain) if limb.is_foot else {}
        soles = spec.get("sole") or figures.own_soles(limb, high, dt, self.per_metre)
        common = (soles, plants, dt, self.per_metre, self.up)
        rows = {"before": figures.measure(limb, high, *common)}
        after = figures.Limb(self.cleaned, spec) if self.cleaned else limb
        if self.cleaned:
            high = figures.heights(after, self.terrain) if limb.is_foot else {}
            rows["after"] = figures.measure(after, high, *common)
        if self.truth:
            true = {key: _rows(flat, 3) for key, flat in spec["positions"].items()}
            rows["truth_edge_jerk_p99"] = figures.edge_jerk(
                true["ankle"], plants, dt, self.per_metre
            )
            found = (self.plants[limb.name], spec["contacts"], count, dt)
            rows["f1"] = contacts.f1(*found, False)
            rows["f1_tolerant"] = contacts.f1(*found, True)
            if limb.is_foot:
                cut = contacts.shortened(spec["contacts"], dt)
                rows["against_truth"] = figures.against_truth(
                    after, limb, true["toe"], self.terrain, cut, self.per_metre, self.up
                )
        return rows


def failures(report, given, has_truth):
    """What the acceptance table asks and the cleaned clip does not do."""
    failed = []

    def ask(good, name, text):
        if not good:
            failed.append(f"{name}: {text}")

    if not any(rows["before"]["contacts"] for rows in report["limbs"].values()):
        failed.append("no plant was found")
    share, floor_mm, lowest, floating = (0.01, 0.05, -2.0, 2.0) if given else (0.05, 0.1, -2.0, 2.0)
    if not has_truth:
        lowest, floating = -5.0, 10.0
    for name, rows in report["limbs"].items():
        a, b = rows["before"], rows["after"]
        slide = b["slide_mm_per_frame"]
        ask(slide <= max(floor_mm, share * a["slide_mm_per_frame"]), name, f"slides {slide:.3f} mm/frame")
        if "lowest_mm" in b:
            ask(b["lowest_mm"] >= lowest, name, f"sinks to {b['lowest_mm']:.1f} mm")
            most = floating if has_truth else max(floating, a["floating_p95_mm"])
            ask(b["floating_p95_mm"] <= most, name, f"floats {b['floating_p95_mm']:.1f} mm")
        most = max(1.1 * a["knee_p99_deg_s"], a["knee_p99_deg_s"] + 20.0)
        ask(b["knee_p99_deg_s"] <= most, name, f"knee p99 {b['knee_p99_deg_s']:.0f} deg/s > {most:.0f}")
        most = 1.6 * rows["truth_edge_jerk_p99"] if has_truth else 1.25 * a["edge_jerk_p99"]
        ask(b["edge_jerk_p99"] <= most, name, f"edge jerk {b['edge_jerk_p99']:.0f} > {most:.0f} m/s^3")
        if has_truth:
            ask(rows["f1"] >= 0.95, name, f"contacts F1 {rows['f1']:.3f}")
            ask(rows["f1_tolerant"] >= 0.98, name, f"contacts F1 within a frame {rows['f1_tolerant']:.3f}")
        error = rows.get("against_truth")
        if error:
            ask(error["vertical_max_mm"] <= 2.5, name, f"{error['vertical_max_mm']:.1f} mm off the true height")
            most = 1.1 * error["best_anchor_mean_mm"] + 0.05
            ask(error["horizontal_mean_mm"] <= most, name,
                f"{error['horizontal_mean_mm']:.1f} mm off the true place > {most:.1f}")
    if not has_truth:
        change = report["change"]
        ask(change["joints_mean_mm"] <= 15.0, "clip", f"joints moved {change['joints_mean_mm']:.1f} mm")
        ask(change["pelvis_max_mm"] <= 30.0, "clip", f"pelvis moved {change['pelvis_max_mm']:.1f} mm")
    return failed


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
