# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""When a foot is planted: found by speed and height with hysteresis, or read from a file."""

import math

ENTER_SPEED, LEAVE_SPEED = 0.15, 0.35  # m/s
LOW, LOW_MARGIN, LOW_MAX, LEAVE_MARGIN = 0.03, 0.015, 0.12, 0.02  # m
SHORTEST = 0.10  # s, of contacts and of gaps
EDGE = 1.0 / 30.0  # s, cut off both ends before anything is measured


def percentile(values, share):
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))]


def speeds(track, dt):
    """The mean speed over about 1/30 s around each frame, in the track's units per second."""
    window = max(1, round(EDGE / dt))
    result, last = [], len(track) - 1
    for f in range(len(track)):
        a = max(0, min(f - window // 2, last - window))
        b = min(last, a + window)
        result.append(math.dist(track[a], track[b]) / ((b - a) * dt) if b > a else 0.0)
    return result


def detect(track, heights, dt, per_metre):
    """Intervals of a foot's anchor; heights over the ground, None where there is none."""
    v = [s / per_metre for s in speeds(track, dt)]
    h = [None if x is None else x / per_metre for x in heights]
    slow = [x for x, s in zip(h, v) if x is not None and s < ENTER_SPEED]
    if not slow:
        return []
    sole = percentile(slow, 0.02)
    limit = min(LOW_MAX, max(LOW, percentile(slow, 0.5) - sole + LOW_MARGIN))
    state, mask = False, []
    for x, s in zip(h, v):
        if x is None:
            state = False
        elif state:
            state = s <= LEAVE_SPEED and x - sole <= limit + LEAVE_MARGIN
        else:
            state = s < ENTER_SPEED and x - sole < limit
        mask.append(state)
    return fill_gaps(drop_short(runs(mask), dt), dt)


def runs(mask):
    found, begin = [], None
    for f, on in enumerate(mask + [False]):
        if on and begin is None:
            begin = f
        elif not on and begin is not None:
            found.append([begin, f])
            begin = None
    return found


def drop_short(intervals, dt):
    return [i for i in intervals if (i[1] - i[0]) * dt >= SHORTEST - 1e-9]


def fill_gaps(intervals, dt):
    joined = []
    for begin, end in intervals:
        if joined and (begin - joined[-1][1]) * dt < SHORTEST - 1e-9:
            joined[-1][1] = end
        else:
            joined.append([begin, end])
    return joined


def shortened(intervals, dt):
    cut = max(1, round(EDGE / dt))
    return [[a + cut, b - cut] for a, b in intervals if b - a > 2 * cut + 1]


def given(fields, names):
    """Intervals by the ankle's name, from a truth or from a plan (ikstream.v1.Plan)."""
    if "limbs" in fields:
        return {limb["name"]: limb["contacts"] for limb in fields["limbs"]}
    joints = fields.get("jointNames", fields.get("joint_names", names))
    result = {}
    for foot in fields.get("feet", []):
        whose = foot.get("foot", {})
        ankle = whose.get("ankleJoint", whose.get("ankle_joint", 0))
        result[joints[ankle]] = [
            [int(i.get("begin", 0)), int(i["end"])]
            for i in foot.get("intervals", [])
            if not i.get("ignored")
        ]
    return result


def f1(found, truth, count, dt, tolerant):
    """Agreement per frame; tolerant: frames near a true boundary do not count."""
    near = set()
    if tolerant:
        reach = max(1, int(0.020 / dt + 1e-6))
        for interval in truth:
            for edge in interval:
                near.update(range(edge - reach, edge + reach))
    a, b = frames(found), frames(truth)
    both, either = 0, 0
    for f in range(count):
        if f not in near:
            both += 2 * (f in a and f in b)
            either += (f in a) + (f in b)
    return both / either if either else 1.0


def frames(intervals):
    return {f for a, b in intervals for f in range(a, b)}
