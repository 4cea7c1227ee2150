# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Two-bone limbs in closed form (the law of cosines), in double precision."""

import math

from . import vec


def middle_joint(root, end, upper, lower, axis):
    """Where the middle joint is, and the limb's hinge: `axis` made orthogonal to the limb.

    A positive turn about the hinge folds the limb; the middle joint lies on the side of
    (end - root) x hinge.
    """
    line = vec.sub(end, root)
    distance = vec.norm(line)
    if not abs(upper - lower) < distance < upper + lower:
        raise ValueError("a limb cannot reach its end")
    direction = vec.scale(line, 1.0 / distance)
    hinge = vec.unit(vec.reject(axis, direction))
    along = (upper * upper - lower * lower + distance * distance) / (2.0 * distance)
    aside = math.sqrt(upper * upper - along * along)
    bend = vec.cross(direction, hinge)
    middle = vec.add(root, vec.add(vec.scale(direction, along), vec.scale(bend, aside)))
    return middle, hinge


def leg_rotations(hip, knee, ankle, hinge):
    """World rotations of the two bones, for bones that hang along -Y and fold about +X."""
    return tuple(
        _hanging(vec.unit(vec.sub(low, high)), hinge)
        for high, low in ((hip, knee), (knee, ankle))
    )


def arm_rotations(shoulder, elbow, wrist, hinge, side):
    """The same for arms that point along side * X at rest and fold about -side * Y."""
    rotations = []
    for a, b in ((shoulder, elbow), (elbow, wrist)):
        x = vec.scale(vec.unit(vec.sub(b, a)), side)
        y = vec.scale(hinge, -side)
        rotations.append(vec.from_columns(x, y, vec.cross(x, y)))
    return tuple(rotations)


def _hanging(direction, hinge):
    y = vec.scale(direction, -1.0)
    return vec.from_columns(hinge, y, vec.cross(hinge, y))


def blend(a, b, t):
    """The rotation on the way from a (t = 0) to b (t = 1); less than 180 degrees apart."""
    x, y, z, w = vec.quaternion(vec.matmul(vec.transpose(a), b))
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return a
    turn = vec.axis_rotation((x / sine, y / sine, z / sine), 2.0 * t * math.atan2(sine, w))
    return vec.matmul(a, turn)
