# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""BVH files: channels from frames, and text from channels."""

import math

from . import vec


def channels(skeleton, frames):
    """Per frame, the root's position in metres and the joints' angles in degrees, unwrapped."""
    rows, before = [], None
    for frame in frames:
        angles = []
        for j, (joint, turn) in enumerate(zip(skeleton.joints, frame.local)):
            now = vec.euler_angles(joint.order, turn)
            if before:
                now = tuple(vec.nearest_turn(a, b) for a, b in zip(now, before[j]))
            angles.append(now)
        before = angles
        rows.append((frame.root, [tuple(math.degrees(a) for a in row) for row in angles]))
    return rows


def damaged(rows, offsets, noise):
    return [
        (vec.add(root, offset), [vec.add(a, n) for a, n in zip(angles, shake)])
        for (root, angles), offset, shake in zip(rows, offsets, noise)
    ]


def text(skeleton, rows, fps, space):
    children = {}
    for j, joint in enumerate(skeleton.joints):
        children.setdefault(joint.parent, []).append(j)
    order = []
    lines = ["HIERARCHY"] + _joint(skeleton, children, 0, 0, space, order)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1.0 / fps:.8f}"]
    for root, angles in rows:
        values = space.point(root)
        for j in order:
            values.extend(angles[j])
        lines.append(" ".join(number(v) for v in values))
    return "\n".join(lines) + "\n"


def number(value):
    """Six decimals without a negative zero: the sixth is 2 nm at the end of a leg."""
    shown = f"{value:.6f}"
    return "0.000000" if shown == "-0.000000" else shown


def _joint(skeleton, children, j, depth, space, order):
    joint, pad = skeleton.joints[j], "  " * depth
    order.append(j)
    turns = " ".join(space.axis(axis) + "rotation" for axis in joint.order)
    places = "Xposition Yposition Zposition "
    kind, count, places = ("ROOT", 6, places) if j == 0 else ("JOINT", 3, "")
    lines = [
        f"{pad}{kind} {joint.name}",
        pad + "{",
        f"{pad}  OFFSET {_offset(joint.offset, space)}",
        f"{pad}  CHANNELS {count} {places}{turns}",
    ]
    for child in children.get(j, []):
        lines += _joint(skeleton, children, child, depth + 1, space, order)
    if joint.end:
        end = f"{pad}    OFFSET {_offset(joint.end, space)}"
        lines += [pad + "  End Site", pad + "  {", end, pad + "  }"]
    return lines + [pad + "}"]


def _offset(offset, space):
    return " ".join(number(x) for x in space.point(offset))
