# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Requests whose cost is known, and a client that keeps a number of them under way."""

import json
import math
import pathlib
import re

import harness

BONES = 60
PIECE = 64


def _motion(frames, more=""):
    # No frame is as the one before it, whose answer would be its own.
    angles = [0.05 + 1e-4 * frame for frame in range(frames)]
    bends = [f"0, 0, {math.sin(angle)}, {math.cos(angle)}" for angle in angles]
    return f"""motion {{ {more}
      root_positions: [{", ".join(["0, 0, 0"] * frames)}]
      local_rotations: [{", ".join(b for bend in bends for b in [bend] * (BONES + 1))}] }}"""


def solve(frames, iterations=1000, kind="SolveRequest"):
    """A chain that hardly reaches its target: bytes of a SolveRequest. 64 frames of at most 1,000
    iterations take a core some 7 ms, 64 of at most 1,000,000 some 40 ms."""
    joints = 'joints { name: "base" }' + "".join(
        f' joints {{ name: "b{i}" parent: {i} offset {{ x: 1 }} }}' for i in range(BONES)
    )
    chain = (
        f'chains {{ name: "arm" root_joint: 0 end_joint: {BONES} solver: "fabrik" '
        f"max_iterations: {iterations} tolerance: 1e-9 }}"
    )
    setup = f"setup {{ mode: MODE_SOLVE rig {{ skeleton {{ {joints} }} {chain} }} }}"
    target = f"targets {{ positions: [{BONES - 0.1}, 0.01, 0.003] }}"
    encode = lambda text: harness.protoc("encode", f"ikstream.v1.{kind}", text.encode())
    # Messages that follow each other are merged: their frames are joined.
    whole, rest = divmod(frames, PIECE)
    pieces = [encode(_motion(PIECE))] * whole + ([encode(_motion(rest))] if rest else [])
    return encode(f"{setup} motion {{ {target} }}") + b"".join(pieces)


def counter(server, name, **labels):
    """The sum of a server's counters of this name that have these labels."""
    text = harness.fetch(f"http://{server.metrics}/metrics") or ""
    total = 0.0
    for found, value in re.findall(rf"^{name}(\{{.*\}})? (\S+)$", text, re.M):
        if all(f'{key}="{wanted}"' in found for key, wanted in labels.items()):
            total += float(value)
    return total


class Load:
    """Many unary calls from one process with a gRPC library that is not ours."""

    def __init__(self):
        self.python = harness.python_env("grpcio", "grpcio==1.66.2") / "python"
        self.script = pathlib.Path(__file__).with_name("load.py")

    def start(self, target, message, seconds, concurrency):
        """The same in the background."""
        return harness.Process(
            *(self.python, "-B", self.script, target, seconds, concurrency, message)
        )

    def run(self, target, message, seconds, concurrency):
        """How many calls of these seconds ended with which code."""
        done = harness.run(
            *(self.python, "-B", self.script, target, seconds, concurrency, message),
            timeout=seconds + 60,
        )
        if done.returncode:
            raise AssertionError(done.stderr[-2000:])
        return json.loads(done.stdout)
