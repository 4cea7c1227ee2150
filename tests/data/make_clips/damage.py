# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Known flaws, added to the channels of a true clip: bones and names stay as they are."""

import math
import random
from dataclasses import dataclass

from .curves import Noise

# Jitter of the joints above a planted foot or hand against that of the others: what looks like
# a slight tremor of a hand would be a foot that no threshold calls planted.
LEG_SHARE = 0.15
SLOW_HZ, FAST_HZ = (0.3, 1.2), (4.0, 10.0)


@dataclass(frozen=True)
class Damage:
    skate_mm_s: float = 45.0  # Root mean square speed of the root's horizontal drift.
    jitter_deg: float = 0.3  # Root mean square per rotation channel.
    penetration_mm: float = 20.0  # The whole body sinks by 0 to this.
    steady_share: float = 0.0  # Of the drift: a steady slip along the way.


def root_offsets(damage, seed, fps, count, way, period=None):
    """Horizontal drift and sinking per frame, metres, Y up.

    `way` is the steady slip's unit direction (x, z). With `period` all but the slip closes.
    """
    rng = random.Random(f"root-{seed}")
    xs, zs = (Noise(rng, 0.15, 0.7, period) for _ in range(2))
    sink = Noise(rng, 0.1, 0.5, period)
    times = [f / fps for f in range(count)]
    steady, free = damage.steady_share, math.sqrt(0.5 * (1.0 - damage.steady_share**2))
    squares = [
        (free * xs(t) + steady * way[0]) ** 2 + (free * zs(t) + steady * way[1]) ** 2
        for t in times
    ]
    speed = 0.001 * damage.skate_mm_s / math.sqrt(sum(squares) / count)
    depths = _unit_range([sink(t) for t in times])
    offsets = []
    for t, depth in zip(times, depths):
        x = free * (xs.integral(t) - xs.integral(0.0)) + steady * way[0] * t
        z = free * (zs.integral(t) - zs.integral(0.0)) + steady * way[1] * t
        offsets.append((speed * x, -0.001 * damage.penetration_mm * depth, speed * z))
    return offsets


def _unit_range(values):
    low, high = min(values), max(values)
    return [(v - low) / (high - low) if high > low else 1.0 for v in values]


def angle_noise(damage, seed, skeleton, limbs, fps, count, period=None):
    """Degrees to add, per frame and joint, for the joint's three channels."""
    bearing = _bearing(skeleton, limbs)
    curves = []
    for joint in skeleton.joints:
        share = LEG_SHARE if joint.name in bearing else 1.0
        rng = random.Random(f"{joint.name}-{seed}")
        curves.append((share * damage.jitter_deg / math.sqrt(2.0), _channels(rng, period)))
    return [
        [_angles(amount, channels, f / fps) for amount, channels in curves]
        for f in range(count)
    ]


def _bearing(skeleton, limbs):
    """Joints that move a planted foot or hand: those from its end up to the root."""
    names = set()
    for limb in limbs:
        j = skeleton.index[limb.joints.get("toe", limb.joints["ankle"])]
        while j >= 0:
            names.add(skeleton.joints[j].name)
            j = skeleton.joints[j].parent
    return names


def _channels(rng, period):
    return [(Noise(rng, *SLOW_HZ, period), Noise(rng, *FAST_HZ, period)) for _ in range(3)]


def _angles(amount, channels, t):
    return tuple(amount * (slow(t) + fast(t)) for slow, fast in channels)
