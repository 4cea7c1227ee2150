#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A farm run over three replicas that are killed, drained and started again under it: every
clip comes out, byte for byte as without faults, and no file is half-written.

IKSTREAM_FARM_CLIPS sets the number of clips (40); the figure in deploy/README.md is of 200."""

import hashlib
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import edge
import harness

CLIPS = int(os.environ.get("IKSTREAM_FARM_CLIPS", "40"))
REPLICAS = 3
STRIKES = 8
FRAMES = re.compile(rb"Frames: *\d+")
KINDS = ("walk_flat", "run", "turn_in_place", "platform")


def make_clips(folder, count):
    """Clips that differ: each kind of motion from one frame on after the other."""
    tool = harness.ROOT / "tests" / "data" / "make_clips.py"
    with tempfile.TemporaryDirectory() as made:
        words = ("--kind", *KINDS, "--seconds", "20", "--fps", "60")
        done = harness.run(sys.executable, tool, made, *words)
        if done.returncode:
            raise AssertionError(done.stderr)
        texts = [pathlib.Path(made, f"{kind}.bvh").read_text() for kind in KINDS]
    folder.mkdir()
    for number, text in zip(range(count), itertools.cycle(texts)):
        head, frames = re.split(r"Frames: *\d+\n", text)
        step, *rows = frames.splitlines(keepends=True)
        rows = rows[number // len(KINDS) :]
        whole = "".join([head, f"Frames: {len(rows)}\n", step, *rows])
        (folder / f"clip{number:03}.bvh").write_text(whole)


class Farm(unittest.TestCase):
    """Clips, and what they become in one undisturbed process."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = pathlib.Path(folder.name)
        cls.source = cls.shared / "in"
        make_clips(cls.source, CLIPS)
        done = harness.run(
            harness.binary("ikstream"), "clean", cls.source, "-o", cls.shared / "expected", "-q"
        )
        assert done.returncode == 0, done.stderr
        cls.expected = {p.name: p.read_bytes() for p in (cls.shared / "expected").glob("*.bvh")}
        assert len(cls.expected) == CLIPS

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"
        self.replicas = [harness.Server("--drain-seconds=5") for _ in range(REPLICAS)]
        self.addCleanup(lambda: [replica.stop() for replica in self.replicas])

    def start(self, target):
        client = subprocess.Popen(
            [harness.binary("ikstream"), "clean", self.source, "-o", self.out]
            + [f"--server={target}", "--jobs=6", "--retries=20"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        return client

    def round_robin(self):
        """All replicas as one target of the client's own balancing."""
        return "ipv4:" + ",".join(replica.address for replica in self.replicas)

    def reports(self):
        return sorted(self.out.glob("*.report.json"))

    def wait_for(self, count, client):
        end = time.monotonic() + 120
        while len(self.reports()) < count and client.poll() is None:
            self.assertLess(time.monotonic(), end, f"{len(self.reports())} of {count} clips")
            time.sleep(0.005)

    def strike(self, number):
        """Ends a replica, by force each second time, and starts it again at its address."""
        at = number % REPLICAS
        replica = self.replicas[at]
        if number % 2:
            replica.signal(signal.SIGTERM)
            self.assertEqual(replica.wait(), 0, replica.words())
        else:
            replica.signal(signal.SIGKILL)
            replica.wait()
        self.replicas[at] = harness.Server("--drain-seconds=5", like=replica)

    def under_fire(self, target):
        """A run that loses a replica whenever a ninth of the clips is done, or is at its end."""
        begin = time.monotonic()
        client = self.start(target)
        strikes = 0
        for number in range(STRIKES):
            self.wait_for((number + 1) * CLIPS // (STRIKES + 1), client)
            if client.poll() is not None:
                break
            self.strike(number)
            strikes += 1
        out, error = client.communicate(timeout=240)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn(f"{CLIPS} clips: {CLIPS} cleaned, 0 done before, 0 failed", error)
        self.assertEqual(len(out.splitlines()), CLIPS)
        self.assertGreaterEqual(strikes, STRIKES // 2, "the run was too fast to be struck")
        self.assert_whole()
        again = error.count("starting it over")
        seconds = time.monotonic() - begin
        print(f"{CLIPS} clips in {seconds:.1f} s, {strikes} strikes, {again} started over")

    def assert_whole(self):
        """Every clip with its report, as expected, and nothing else."""
        names = {p.name for p in self.out.iterdir()}
        reports = {name.replace(".bvh", ".report.json") for name in self.expected}
        self.assertEqual(names, set(self.expected) | reports)
        for name, expected in self.expected.items():
            self.assertTrue((self.out / name).read_bytes() == expected, f"{name} differs")
            report = json.loads((self.out / name.replace(".bvh", ".report.json")).read_text())
            self.assertEqual(report["output_sha256"], hashlib.sha256(expected).hexdigest())
            self.assertEqual(f"Frames: {report['frames']}".encode(), FRAMES.search(expected)[0])

    def test_balanced_by_the_client(self):
        self.under_fire(self.round_robin())

    def test_behind_the_edge(self):
        with edge.Edge(self.replicas) as front:
            self.under_fire(front.address)

    def test_the_edge_itself_dies(self):
        front = edge.Edge(self.replicas)
        self.addCleanup(front.stop)
        client = self.start(front.address)
        self.wait_for(CLIPS // 3, client)
        front.signal(signal.SIGKILL)
        front.wait()
        self.assertIsNone(client.poll())
        with edge.Edge(self.replicas, like=front):
            _, error = client.communicate(timeout=240)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn("starting it over", error)
        self.assert_whole()

    def test_an_address_that_never_answers_is_passed_over(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            begin = time.monotonic()
            dead = "127.0.0.1:%d" % silent.getsockname()[1]
            client = self.start(f"{self.round_robin()},{dead}")
            _, error = client.communicate(timeout=240)
        self.assertEqual(client.returncode, 0, error)
        self.assertNotIn("starting it over", error)
        self.assertLess(time.monotonic() - begin, 60)
        self.assert_whole()

    def test_a_killed_client_is_taken_up_where_it_ended(self):
        client = self.start(self.round_robin())
        self.wait_for(CLIPS // 3, client)
        client.kill()
        client.wait()
        before = len(self.reports())
        self.assertLess(before, CLIPS)
        stamps = {p.name: p.stat().st_mtime_ns for p in self.reports()}
        client = self.start(self.round_robin())
        _, error = client.communicate(timeout=240)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn(f"{CLIPS - before} cleaned, {before} done before, 0 failed", error)
        for name, stamp in stamps.items():
            self.assertEqual((self.out / name).stat().st_mtime_ns, stamp, name)
        self.assert_whole()


if __name__ == "__main__":
    harness.main()
