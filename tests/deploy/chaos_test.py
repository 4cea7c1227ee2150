#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A farm run over three replicas that are killed, drained and started again under it: every
clip comes out, byte for byte as without faults, and no file is half-written.

IKSTREAM_FARM_CLIPS sets the number of clips (40); the figure in deploy/README.md is of 200."""

import contextlib
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
import work

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
        """Until so many clips are done; the client must have work left then."""
        done = lambda: len(self.reports()) >= count or client.poll() is not None
        harness.wait_until(f"{count} clips", done, 300, every=0.005)
        self.assertIsNone(client.poll(), "the run is over")

    @contextlib.contextmanager
    def held(self, client):
        """The client stands still, so that no clip that is under way can end."""
        client.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            client.send_signal(signal.SIGCONT)

    def busiest(self):
        """The place of the replica with the most streams, and their number."""
        name = "ikstream_active_streams"
        streams = [work.counter(replica, name) for replica in self.replicas]
        return max(range(REPLICAS), key=streams.__getitem__), max(streams)

    def strike(self, number, client):
        """Ends a replica in the middle of a clip, by force each second time, and starts it again
        at its address once the others have done a clip without it."""
        while True:
            with self.held(client):
                at, streams = self.busiest()
                replica = self.replicas[at]
                if streams:
                    replica.signal(signal.SIGTERM if number % 2 else signal.SIGKILL)
                    break
            self.wait_for(len(self.reports()) + 1, client)
        self.assertEqual(replica.wait(), 0 if number % 2 else -signal.SIGKILL, replica.words())
        self.wait_for(len(self.reports()) + 1, client)
        with self.held(client):
            self.replicas[at] = harness.Server("--drain-seconds=5", like=replica)

    def under_fire(self, target):
        """A run that loses a replica again and again in its first half."""
        begin = time.monotonic()
        client = self.start(target)
        for number in range(STRIKES):
            self.wait_for((number + 1) * CLIPS // (2 * STRIKES), client)
            self.strike(number, client)
        out, error = client.communicate(timeout=600)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn(f"{CLIPS} clips: {CLIPS} cleaned, 0 done before, 0 failed", error)
        self.assertEqual(len(out.splitlines()), CLIPS)
        self.assert_whole()
        again = error.count("starting it over")
        self.assertGreater(again, 0, error)
        seconds = time.monotonic() - begin
        print(f"{CLIPS} clips in {seconds:.1f} s, {STRIKES} strikes, {again} started over")

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
        with self.held(client):
            front.signal(signal.SIGKILL)
            front.wait()
        with edge.Edge(self.replicas, like=front):
            _, error = client.communicate(timeout=600)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn("starting it over", error)
        self.assert_whole()

    def test_an_address_that_never_answers_is_passed_over(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            dead = "127.0.0.1:%d" % silent.getsockname()[1]
            client = self.start(f"{self.round_robin()},{dead}")
            _, error = client.communicate(timeout=600)
        self.assertEqual(client.returncode, 0, error)
        self.assertNotIn("starting it over", error)
        self.assert_whole()

    def test_a_killed_client_is_taken_up_where_it_ended(self):
        client = self.start(self.round_robin())
        self.wait_for(CLIPS // 3, client)
        with self.held(client):
            client.kill()
        client.wait()
        before = len(self.reports())
        self.assertLess(before, CLIPS)
        stamps = {p.name: p.stat().st_mtime_ns for p in self.reports()}
        client = self.start(self.round_robin())
        _, error = client.communicate(timeout=600)
        self.assertEqual(client.returncode, 0, error)
        self.assertIn(f"{CLIPS - before} cleaned, {before} done before, 0 failed", error)
        for name, stamp in stamps.items():
            self.assertEqual((self.out / name).stat().st_mtime_ns, stamp, name)
        self.assert_whole()


if __name__ == "__main__":
    harness.main()
