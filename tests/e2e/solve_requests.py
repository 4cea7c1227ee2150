# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Requests for `ikstream solve`, and plain forward kinematics that judges the answers."""

import math


def arm(bones=2, frames=1, target=(0.5, 1.0, 0.3), solver=""):
    """A chain of unit bones along +X whose end is asked to reach the target."""
    joints = [{"name": "base"}]
    joints += [
        {"name": f"bone{i}", "parent": i, "offset": {"x": 1.0}} for i in range(bones)
    ]
    # Bent a little: a straight chain has no side to bend to.
    bend = [0.0, 0.0, math.sin(0.05), math.cos(0.05)]
    motion = {
        "root_positions": [0.0, 0.0, 0.0] * frames,
        "local_rotations": bend * len(joints) * frames,
        "targets": [{"chain": 0, "positions": list(target)}],
    }
    chain = {"name": "arm", "root_joint": 0, "end_joint": bones, "solver": solver}
    rig = {"skeleton": {"joints": joints}, "chains": [chain]}
    return {"setup": {"mode": "MODE_SOLVE", "rig": rig, "all_joints": True}, "motion": motion}


def standing(ground):
    """Mode PLACE: a straight leg of a metre over a sample of level ground at this height."""
    joints = [{"name": "hip"}]
    joints += [
        {"name": name, "parent": i, "offset": {"y": -0.5}}
        for i, name in enumerate(("knee", "ankle"))
    ]
    rig = {"skeleton": {"joints": joints}, "units_per_metre": 1.0}
    rig["feet"] = [{"hip_joint": 0, "ankle_joint": 2}]
    setup = {"mode": "MODE_PLACE", "rig": rig, "frames_per_second": 30.0}
    motion = {
        "root_positions": [0.0, 1.0, 0.0],
        "local_rotations": [0.0, 0.0, 0.0, 1.0] * 3,
        "samples": [{"foot": 0, "point": "POINT_HEEL", "positions": [0.0, ground, 0.0]}],
    }
    return {"setup": setup, "motion": motion}


def multiply(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q, v):
    x, y, z, _ = multiply(multiply(q, (*v, 0.0)), (-q[0], -q[1], -q[2], q[3]))
    return (x, y, z)


def end_position(request, answer, frame=0):
    """Where the last joint is by the answer's rotations."""
    joints = request["setup"]["rig"]["skeleton"]["joints"]
    rotations = answer["motion"]["local_rotations"]
    order = answer["motion"].get("joints", list(range(len(joints))))
    local = {}
    for slot, joint in enumerate(order):
        at = 4 * (frame * len(order) + slot)
        local[joint] = tuple(rotations[at : at + 4])
    position, turn = (0.0, 0.0, 0.0), local[0]
    for joint in range(1, len(joints)):
        step = rotate(turn, (joints[joint]["offset"]["x"], 0.0, 0.0))
        position = tuple(p + s for p, s in zip(position, step))
        turn = multiply(turn, local[joint])
    return position


def distance(a, b):
    return math.dist(a, b)
