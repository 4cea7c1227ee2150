# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Figures of one limb in one clip. Millimetres, degrees and seconds of the clip's metre."""

import math
import statistics
from typing import NamedTuple

from .contacts import frames, percentile, shortened, speeds


class Scale(NamedTuple):
    """What turns a clip's numbers into figures."""

    dt: float
    per_metre: float
    up: str  # "+Y" or "+Z".


class Limb:
    """The tracks of a limb's points: ankle, toe (joint or End Site) and tip."""

    def __init__(self, clip, spec):
        joints = spec["joints"]
        self.name, self.is_foot = spec["name"], spec.get("kind", "foot") == "foot"
        self.hip, self.knee = clip.track(joints["hip"]), clip.track(joints["knee"])
        self.points = {"ankle": clip.track(joints["ankle"])}
        toe = joints.get("toe", joints["ankle"] + ".end")
        if self.is_foot and toe in clip.index:
            self.points["toe"] = clip.track(toe)
            if toe + ".end" in clip.index:
                self.points["tip"] = clip.track(toe + ".end")
        self.anchor = self.points.get("toe", self.points["ankle"])

    @property
    def length(self):
        upper, lower = math.dist(self.hip[0], self.knee[0]), self.points["ankle"][0]
        return upper + math.dist(self.knee[0], lower)


def heights(limb, terrain):
    """Per point, heights over the ground along its normal; None without ground."""
    return {key: [terrain.height(p) for p in track] for key, track in limb.points.items()}


def own_soles(limb, high, dt, per_metre):
    """Each point's height while it is slow, its 2nd percentile."""
    soles = {}
    for key, track in limb.points.items():
        pairs = list(zip(high[key], speeds(track, dt)))
        known = [h for h, _ in pairs if h is not None]
        slow = [h for h, v in pairs if h is not None and v < 0.15 * per_metre]
        soles[key] = percentile(slow or known, 0.02) if known else 0.0
    return soles


def measure(limb, high, soles, contacts, scale):
    """`high` is from heights(). Contacts are shortened at both ends for all but the edges."""
    dt, per_metre, _ = scale
    mm, plants = 1000.0 / per_metre, shortened(contacts, dt)
    slide, worst, worst_frame = _slide(limb, plants, scale.up)
    result = {
        "contact_frames": len(frames(plants)),
        "contacts": len(plants),
        "slide_mm_per_frame": slide * mm,
        "slide_mm_per_second": slide * mm / dt,
        "worst_drift_mm": worst * mm,
        "worst_drift_frame": worst_frame,
    }
    if limb.is_foot:
        gaps = _gaps(high, soles)
        known = [g for g in gaps if g is not None]
        result["lowest_mm"] = min(known, default=0.0) * mm
        result["frames_5mm_deep"] = sum(g * mm < -5.0 for g in known)
        result["floating_p95_mm"] = _floating(gaps, plants) * mm
    bend = knee_bend(limb)
    knee = [abs(b - a) / dt for a, b in zip(bend, bend[1:])] or [0.0]
    result["knee_p99_deg_s"], result["knee_max_deg_s"] = percentile(knee, 0.99), max(knee)
    result["reach_max"] = _reach(limb)
    result["edge_jerk_p99"] = edge_jerk(limb.points["ankle"], contacts, dt, per_metre)
    return result


def flat(a, b, up):
    """The distance as seen from above."""
    u = 1 if up == "+Y" else 2
    return math.sqrt(sum((x - y) ** 2 for k, (x, y) in enumerate(zip(a, b)) if k != u))


def median_point(track, begin, end):
    """The component-wise median of the middle 60 %."""
    cut = int(0.2 * (end - begin))
    rows = track[begin + cut : end - cut]
    return tuple(map(statistics.median, zip(*rows)))


def _slide(limb, plants, up):
    """Mean way per frame and the farthest from the median, horizontally (hands: in space)."""
    distance = (lambda a, b: flat(a, b, up)) if limb.is_foot else math.dist
    steps, worst, frame = [], 0.0, -1
    for a, b in plants:
        track = limb.anchor[a:b]
        steps += [distance(p, q) for p, q in zip(track, track[1:])]
        middle = median_point(limb.anchor, a, b)
        for f in range(a, b):
            away = distance(limb.anchor[f], middle)
            if away > worst:
                worst, frame = away, f
    return (sum(steps) / len(steps) if steps else 0.0), worst, frame


def _gaps(high, soles):
    """Per frame, the lowest point's height against its own sole offset."""
    gaps = []
    for row in zip(*high.values()):
        known = [h - soles[key] for key, h in zip(high, row) if h is not None]
        gaps.append(min(known) if known else None)
    return gaps


def _floating(gaps, plants):
    """How far the foot is above its own median, in the middle 60 % of plants (p95)."""
    middles = []
    for a, b in plants:
        cut = int(0.2 * (b - a))
        middles += [g for g in gaps[a + cut : b - cut] if g is not None]
    if not middles:
        return 0.0
    usual = percentile(middles, 0.5)
    return percentile([max(0.0, g - usual) for g in middles], 0.95)


def knee_bend(limb):
    """Degrees between the two bones' directions; 0 is straight."""
    bends = []
    for hip, knee, ankle in zip(limb.hip, limb.knee, limb.points["ankle"]):
        a = [k - h for h, k in zip(hip, knee)]
        b = [x - k for k, x in zip(knee, ankle)]
        c = [
            a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)
        ]
        cosine = sum(x * y for x, y in zip(a, b))
        bends.append(math.degrees(math.atan2(math.sqrt(sum(x * x for x in c)), cosine)))
    return bends


def _reach(limb):
    return max(map(math.dist, limb.hip, limb.points["ankle"])) / limb.length


def edge_jerk(track, contacts, dt, per_metre):
    """The ankle's jerk within 0.1 s of a contact's ends, its 99th percentile, m/s^3."""
    near, reach = set(), max(1, round(0.1 / dt))
    for interval in contacts:
        for edge in interval:
            if 0 < edge < len(track):  # Else the clip ends, not the contact.
                near.update(range(edge - reach, edge + reach + 1))
    values = []
    for f in range(1, len(track) - 2):
        if f in near:
            rows = zip(track[f - 1], track[f], track[f + 1], track[f + 2])
            third = [d - 3.0 * c + 3.0 * b - a for a, b, c, d in rows]
            values.append(math.sqrt(sum(x * x for x in third)) / dt**3 / per_metre)
    return percentile(values, 0.99) if values else 0.0


def change(source, cleaned, per_metre):
    """Mean distance of all joints, and the pelvis' greatest, mm."""
    mm, total, count, pelvis = 1000.0 / per_metre, 0.0, 0, 0.0
    for before, after in zip(source.positions, cleaned.positions):
        moved = list(map(math.dist, before, after))
        total, count, pelvis = total + sum(moved), count + len(moved), max(pelvis, moved[0])
    return {"joints_mean_mm": total / count * mm, "pelvis_max_mm": pelvis * mm}


def against_truth(limb, source, true, terrain, contacts, scale):
    """Errors in true contacts: vertical as height over the ground, and horizontal.

    best_anchor is the error of the anchors that the flawed clip allows: per true contact, the
    median of its middle; a clean-up that knows the contacts can hardly choose better.
    """
    mm, up = 1000.0 / scale.per_metre, scale.up
    vertical, horizontal, best = [], [], []
    for a, b in contacts:
        anchor = median_point(source.anchor, a, b)
        for f in range(a, b):
            here, there = terrain.height(limb.anchor[f]), terrain.height(true[f])
            if here is not None and there is not None:
                vertical.append(abs(here - there))
            horizontal.append(flat(limb.anchor[f], true[f], up))
            best.append(flat(anchor, true[f], up))
    if not horizontal:
        return None
    return {
        "vertical_max_mm": max(vertical, default=0.0) * mm,
        "horizontal_mean_mm": sum(horizontal) / len(horizontal) * mm,
        "best_anchor_mean_mm": sum(best) / len(best) * mm,
    }
