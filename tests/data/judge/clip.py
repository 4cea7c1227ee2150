# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""BVH files and their forward kinematics: positions of all joints and End Sites."""

import math


class ClipError(Exception):
    """A file that is no usable clip; the text names the file and the line."""


class Clip:
    """names[j], parents[j] and positions[f][j]; an End Site's name is its joint's + '.end'."""

    def __init__(self, path, convention="replace"):
        self.path = path
        with open(path, encoding="utf-8-sig") as source:
            self._lines = source.read().splitlines()
        self.names, self.parents, self._offsets, self._channels = [], [], [], []
        row = self._hierarchy()
        rows = self._motion(row + 1)
        self.positions = [self._place(values, convention) for values in rows]
        self.index = {name: j for j, name in enumerate(self.names)}

    def track(self, name):
        j = self.index[name]
        return [frame[j] for frame in self.positions]

    def _fail(self, row, text):
        raise ClipError(f"{self.path}:{row + 1}: {text}")

    def _hierarchy(self):
        current, depth = -1, []
        for row, line in enumerate(self._lines):
            words = line.split()
            if not words or words[0] in ("HIERARCHY", "{"):
                continue
            if words[0] == "MOTION":
                if not self.names:
                    break
                return row
            if words[0] in ("ROOT", "JOINT", "End"):
                depth.append(current)
                name = (
                    self.names[current] + ".end" if words[0] == "End" else " ".join(words[1:])
                )
                self.names.append(name)
                self.parents.append(current)
                self._offsets.append((0.0, 0.0, 0.0))
                self._channels.append([])
                current = len(self.names) - 1
            elif words[0] == "OFFSET" and depth:
                self._offsets[current] = tuple(self._numbers(row, words[1:], 3))
            elif words[0] == "CHANNELS" and depth:
                self._channels[current] = [(w[0].upper(), w[1:].lower()) for w in words[2:]]
            elif words[0] == "}" and depth:
                current = depth.pop()
            else:
                self._fail(row, f"unexpected {words[0]!r}")
        return self._fail(0, "no skeleton with a MOTION after it")

    def _motion(self, first):
        rows, self.dt = [], None
        for row in range(first, len(self._lines)):
            line = self._lines[row].strip()
            if not line or line.startswith("Frames:"):
                continue
            if line.startswith("Frame Time:"):
                self.dt = self._numbers(row, line.split(":")[1].split(), 1)[0]
                continue
            count = sum(len(channels) for channels in self._channels)
            rows.append(self._numbers(row, line.split(), count))
        if not rows or not self.dt or self.dt <= 0.0:
            self._fail(len(self._lines) - 1, "no frames or no frame time")
        return rows

    def _numbers(self, row, words, count):
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) != count or not all(map(math.isfinite, values)):
            self._fail(row, f"expected {count} numbers")
        return values

    def _place(self, values, convention):
        values = iter(values)
        positions, turns = [], []
        for j, parent in enumerate(self.parents):
            move, turn = self._local(j, values, convention)
            if parent < 0:
                positions.append(tuple(move))
                turns.append(turn)
                continue
            base, frame = positions[parent], turns[parent]
            positions.append(tuple(b + _dot(r, move) for b, r in zip(base, frame)))
            turns.append(product(frame, turn))
        return positions

    def _local(self, j, values, convention):
        move, turn = list(self._offsets[j]), ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        for axis, what in self._channels[j]:
            value, k = next(values), "XYZ".index(axis)
            if what == "rotation":
                turn = product(turn, _turn(k, math.radians(value)))
            else:
                move[k] = value if convention == "replace" else move[k] + value
        return move, turn


def _turn(k, angle):
    c, s = math.cos(angle), math.sin(angle)
    rows = [[0.0] * 3 for _ in range(3)]
    i, j = (k + 1) % 3, (k + 2) % 3
    rows[k][k] = 1.0
    rows[i][i] = rows[j][j] = c
    rows[i][j], rows[j][i] = -s, s
    return rows


def product(a, b):
    columns = list(zip(*b))
    return [[_dot(row, column) for column in columns] for row in a]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def find_limbs(clip):
    """Legs by their joints' names, where nobody says: hip, knee, ankle and perhaps a toe."""
    limbs = []
    for j, name in enumerate(clip.names):
        low = name.lower()
        if not ("foot" in low or "ankle" in low) or low.endswith(".end"):
            continue
        knee = clip.parents[j]
        hip = clip.parents[knee] if knee >= 0 else -1
        if hip < 0 or any("foot" in clip.names[k].lower() for k in (knee, hip)):
            continue
        joints = {"hip": clip.names[hip], "knee": clip.names[knee], "ankle": name}
        toes = [clip.names[k] for k, p in enumerate(clip.parents) if p == j]
        if toes and not toes[0].endswith(".end"):
            joints["toe"] = toes[0]
        limbs.append({"name": name, "kind": "foot", "joints": joints})
    return limbs
