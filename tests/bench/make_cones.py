#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""make_cones.py FILE.ikt [SEED]: 5,000 tasks of ten bones, each inside a 20-degree cone about the bone before it.

Starts are swings of 0..10 degrees a joint, targets the ends of swings of 0..20 degrees: each can be met inside the
limits. The format is that of the other task files (read by task_file.cc)."""
import array
import math
import random
import struct
import sys

BONES, TASKS, LENGTH, CONE, MAX_ITERATIONS = 10, 5000, 0.1, math.radians(20), 100
CONES = 2  # the flag of files with cone limits; 1: the targets can be reached


def swing(rng, most):
    """A rotation about an axis in the XZ plane."""
    about, half = rng.uniform(0, 2 * math.pi), rng.uniform(0, most) / 2
    return (math.cos(about) * math.sin(half), 0.0, math.sin(about) * math.sin(half), math.cos(half))


def times(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def joints(pose):
    """The origins of the joints and the end: bones run along +Y of their joints."""
    at, turned, out = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), [(0.0, 0.0, 0.0)]
    for q in pose:
        turned = x, y, z, w = times(turned, q)
        along = (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x))
        at = tuple(p + LENGTH * d for p, d in zip(at, along))
        out.append(at)
    return out


def main():
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 20)
    reach = BONES * LENGTH
    with open(sys.argv[1], "wb") as file:
        file.write(b"IKTASK01" + struct.pack("<4I3d", BONES, TASKS, MAX_ITERATIONS, CONES | 1, reach, 1e-3 * reach, CONE))
        file.write(struct.pack(f"<{BONES}d", *[LENGTH] * BONES))
        for _ in range(TASKS):
            start = [swing(rng, CONE / 2) for _ in range(BONES)]
            target = joints([swing(rng, CONE) for _ in range(BONES)])[-1]
            numbers = array.array("d", [x for part in (*start, *joints(start), target) for x in part])
            if sys.byteorder == "big":
                numbers.byteswap()
            file.write(numbers.tobytes())


main()
