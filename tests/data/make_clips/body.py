# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The body over its feet: where the pelvis goes, so that every leg always reaches."""

import math
from dataclasses import dataclass

from . import curves, vec
from .rig import LEG

GRID_HZ = 120  # Every frame rate divides it, so a clip is the same motion at each.
LEAD = GRID_HZ * 11 // 10  # Samples before and after the clip: more than smoothing reaches.


@dataclass(frozen=True)
class Style:
    """How a body moves over given feet. Angles in radians."""

    reach: float = 0.982  # No leg is straighter than this share of its length.
    stand: float = 0.985  # The height of the hips over the ankles, as a share of the leg.
    bounce: float = 0.0  # Lower by this where all feet stand, metres.
    smooth: float = 0.15  # Of the pelvis' way, seconds.
    settle: float = 0.03  # How softly it sinks where a leg would not reach, seconds.
    sway: float = 0.35  # Towards the foot that stands.
    ahead: float = 0.05  # Of the feet's middle, metres.
    tilt: float = math.radians(3.0)
    lean: float = math.radians(2.0)
    twist: float = 0.22  # Radians of pelvis for a metre between the feet.
    roll: float = math.radians(2.5)
    arm_swing: float = 0.9  # Radians for a metre between the feet.
    arm_hang: float = math.radians(79.0)
    elbow: float = math.radians(18.0)


@dataclass
class BodyCurves:
    """Sampled at GRID_HZ; sample LEAD is frame 0."""

    feet: list  # Per leg, a list of FootPose.
    root: list
    rotation: list
    stride: list  # How far the left foot is ahead of the middle, metres.
    twist: list
    roll: list


def grid_times(seconds):
    count = round(seconds * GRID_HZ) + 2 * LEAD + 1
    return [(i - LEAD) / GRID_HZ for i in range(count)]


def body_curves(scene, seconds):
    times = grid_times(seconds)
    feet = [[track.sample(t) for t in times] for track in scene.tracks]
    style, legs = scene.style, scene.skeleton.legs
    heading = _smooth([_mean(p.heading for p in row) for row in zip(*feet)], 0.12)
    balance = _balance(feet, legs)
    middle = _middle(feet, style)
    stride = _stride(feet, legs, heading)
    roll = [style.roll * b for b in balance]
    twist = [-style.twist * s for s in stride]
    rotation = [_pelvis(heading[i] + twist[i], style.tilt, roll[i]) for i in range(len(times))]
    ground_way = _place(scene, times, middle, heading, balance, feet)
    root = _over_feet(scene, feet, rotation, ground_way)
    return BodyCurves(feet, root, rotation, stride, twist, roll)


def _smooth(values, seconds):
    return curves.gaussian(values, seconds * GRID_HZ)


def _mean(values):
    values = list(values)
    return sum(values) / len(values)


def _pelvis(yaw, tilt, roll):
    turn = vec.matmul(vec.rotation("Y", yaw), vec.rotation("X", tilt))
    return vec.matmul(turn, vec.rotation("Z", roll))


def _balance(feet, legs):
    """+1 where only left feet stand, -1 where only right feet do; smooth."""
    half = 0.5 * len(legs)
    raw = [
        sum(leg.side * pose.support for leg, pose in zip(legs, row)) / half
        for row in zip(*feet)
    ]
    return _smooth(raw, 0.09)


def _middle(feet, style):
    """The middle of the feet, smoothed; its second component is the flat ankles' height."""
    rows = list(zip(*feet))
    tracks = [
        _smooth([_mean(p.base[c] for p in row) for row in rows], style.smooth) for c in range(3)
    ]
    return list(zip(*tracks))


def _stride(feet, legs, heading):
    raw = []
    for yaw, row in zip(heading, zip(*feet)):
        forward = (math.sin(yaw), 0.0, math.cos(yaw))
        raw.append(_mean(leg.side * vec.dot(p.base, forward) for leg, p in zip(legs, row)))
    return _smooth(raw, 0.06)


def _place(scene, times, middle, heading, balance, feet):
    """The pelvis from above, and the height it would like."""
    style, legs = scene.style, scene.skeleton.legs
    standing = _smooth([sum(p.support for p in row) / len(row) for row in zip(*feet)], 0.05)
    hip_drop = scene.skeleton.root_offset(legs[0].hip)[1]
    way = []
    for i, t in enumerate(times):
        yaw = heading[i]
        left = (math.cos(yaw), 0.0, -math.sin(yaw))
        half_width = _mean(
            leg.side * vec.dot(row[i].base, left) for leg, row in zip(legs, feet)
        )
        shift = style.sway * half_width * balance[i]
        drift = scene.sway(t)
        height = middle[i][1] + style.stand * LEG - hip_drop
        height -= style.bounce * standing[i]
        way.append(
            (
                middle[i][0] + shift * left[0] + style.ahead * math.sin(yaw) + drift[0],
                height + drift[1],
                middle[i][2] + shift * left[2] + style.ahead * math.cos(yaw) + drift[2],
            )
        )
    return way


def _over_feet(scene, feet, rotation, way):
    """Root positions: as high as wished, but never so high that a leg does not reach."""
    centre = scene.skeleton.torso_centre
    hips = [scene.skeleton.root_offset(leg.hip) for leg in scene.skeleton.legs]
    limit = []
    for i, (x, wish, z) in enumerate(way):
        offset = vec.mul(rotation[i], centre)
        way[i] = root = (x - offset[0], wish, z - offset[2])
        heights = (
            _highest_root(root, rotation[i], hip, track[i], scene.style.reach)
            for track, hip in zip(feet, hips)
        )
        limit.append(min(wish, *heights))
    height = curves.lower_envelope(limit, scene.style.settle * GRID_HZ)
    return [(x, y, z) for (x, _, z), y in zip(way, height)]


def _highest_root(root, rotation, hip, pose, reach):
    hip = vec.mul(rotation, hip)
    dx, dz = root[0] + hip[0] - pose.ankle[0], root[2] + hip[2] - pose.ankle[2]
    rest = (reach * LEG) ** 2 - dx * dx - dz * dz
    if rest <= 0.0:
        raise ValueError("a step is longer than the leg")
    return pose.ankle[1] + math.sqrt(rest) - hip[1]
