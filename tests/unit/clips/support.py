# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""What the tests judge clips with: their own BVH reader, kinematics by quaternions, ground."""

import contextlib
import functools
import io
import json
import math
import os
import tempfile
import unittest

import measure
from make_clips import cli
from make_clips.kinds import KINDS

ALL = tuple(KINDS)


@functools.cache
def made(kind, *options):
    """Texts of the files that the command line makes for one kind, by their ending."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(io.StringIO()):
            code = cli.main([folder, "--kind", kind, "--clean", *options])
        assert code == 0
        result = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="ascii") as source:
                result[name[len(kind) + 1 :]] = source.read()
        return result


def truth_of(kind, *options):
    return json.loads(made(kind, *options)["truth.json"])


@functools.cache
def motion_of(kind, which, *options):
    return Motion(made(kind, *options)[which])


def report_of(*arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = measure.main(list(arguments))
    return code, out.getvalue() or err.getvalue()


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii", newline="\n") as out:
            out.write(text)
        return path

    def generated(self, kind, *options):
        files = made(kind, *options)
        return {end: self.write(f"{kind}.{end}", text) for end, text in files.items()}


class Motion:
    """joints: (name, parent, offset, channels); End Sites have no channels."""

    def __init__(self, text):
        lines = text.split("\n")
        start = lines.index("MOTION")
        self.header = lines[:start]
        self.joints, stack = [], []
        for line in self.header:
            words = line.split()
            if words[0] in ("ROOT", "JOINT", "End"):
                parent = stack[-1] if stack else -1
                name = self.joints[parent][0] + "/end" if words[0] == "End" else words[1]
                self.joints.append([name, parent, None, []])
            elif words[0] == "{":
                stack.append(len(self.joints) - 1)
            elif words[0] == "}":
                stack.pop()
            elif words[0] == "OFFSET":
                self.joints[-1][2] = tuple(map(float, words[1:]))
            elif words[0] == "CHANNELS":
                assert len(words) == 2 + int(words[1])
                self.joints[-1][3] = words[2:]
        self.frame_time = float(lines[start + 2].split()[2])
        self.rows = [tuple(map(float, line.split())) for line in lines[start + 3 :] if line]
        assert int(lines[start + 1].split()[1]) == len(self.rows)
        self.index = {joint[0]: j for j, joint in enumerate(self.joints)}
        self.columns = [
            (j, channel) for j, joint in enumerate(self.joints) for channel in joint[3]
        ]

    @functools.cached_property
    def positions(self):
        return [self._forward(row) for row in self.rows]

    def track(self, name):
        return [frame[self.index[name]] for frame in self.positions]

    def channel(self, name, channel):
        column = self.columns.index((self.index[name], channel))
        return [row[column] for row in self.rows]

    def _forward(self, row):
        values, places, turns = iter(row), [], []
        for _, parent, offset, channels in self.joints:
            place, turn = list(offset), (0.0, 0.0, 0.0, 1.0)
            for channel in channels:
                axis, value = "XYZ".index(channel[0]), next(values)
                if channel.endswith("position"):
                    place[axis] = value
                else:
                    half = math.radians(value) / 2.0
                    q = [0.0, 0.0, 0.0, math.cos(half)]
                    q[axis] = math.sin(half)
                    turn = times(turn, q)
            if parent >= 0:
                place = add(places[parent], rotate(turns[parent], place))
                turn = times(turns[parent], turn)
            places.append(tuple(place))
            turns.append(turn)
        return places


def times(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q, v):
    r = times(times(q, (v[0], v[1], v[2], 0.0)), (-q[0], -q[1], -q[2], q[3]))
    return r[:3]


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def triples(flat):
    return [tuple(flat[i : i + 3]) for i in range(0, len(flat), 3)]


def xyz(message):
    return tuple(message[axis] for axis in "xyz")


def limb_points(truth, limb):
    """True positions per point, in the platform's frame where there is one."""
    result = {key: triples(flat) for key, flat in limb["positions"].items()}
    for track in truth["platforms"]:
        origins, q = triples(track["positions"]), track["rotations"]
        for key, points in result.items():
            result[key] = [
                rotate(
                    (-q[4 * f], -q[4 * f + 1], -q[4 * f + 2], q[4 * f + 3]),
                    [a - b for a, b in zip(p, origins[f])],
                )
                for f, p in enumerate(points)
            ]
    return result


def ground_height(terrain, p):
    """Height over the highest surface of a +Y up terrain, along its normal; None: none."""
    hits = [_plane(xyz(s["point"]), xyz(s["normal"]), p) for s in terrain.get("planes", [])]
    for field in terrain.get("height_fields", []):
        hits += _cell(field, p)
    for mesh in terrain.get("meshes", []):
        corners = triples(mesh["positions"])
        hits += [
            h for t in triples(mesh["triangles"]) for h in _over(*(corners[i] for i in t), p)
        ]
    return min(hits)[1] if hits else None


def _plane(o, n, p):
    """The vertical gap, and the gap along the normal."""
    gap = sum(a * (b - c) for a, b, c in zip(n, p, o))
    return gap / n[1], gap / math.sqrt(sum(a * a for a in n))


def _cell(field, p):
    (x0, y0, z0), nj, h = xyz(field["origin"]), field["count_j"], field["heights"]
    i, j = int((p[0] - x0) // field["cell_i"]), int((p[2] - z0) // field["cell_j"])

    def vertex(di, dj):
        x, z = x0 + (i + di) * field["cell_i"], z0 + (j + dj) * field["cell_j"]
        return (x, y0 + h[(i + di) * nj + j + dj], z)

    for far in (vertex(1, 0), vertex(0, 1)):
        hit = _over(vertex(0, 0), far, vertex(1, 1), p)
        if hit:
            return hit
    raise AssertionError("outside the height field")


def _over(a, b, c, p):
    """The triangle as a plane, if the point is over it (barycentric signs)."""

    def side(u, v):
        return (v[0] - u[0]) * (p[2] - u[2]) - (v[2] - u[2]) * (p[0] - u[0])

    s = (side(a, b), side(b, c), side(c, a))
    slack = 1e-7 * max(map(abs, s))
    if sum(s) == 0.0 or not (min(s) >= -slack or max(s) <= slack):
        return []
    u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    return [] if abs(n[1]) < 1e-9 else [_plane(a, n if n[1] > 0.0 else [-x for x in n], p)]
