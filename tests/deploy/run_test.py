#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""deploy/run on a built tree: cleans the clip and ends, serves until it is told to stop, names
a taken port, leaves no process behind."""

import os
import pathlib
import re
import signal
import socket
import tempfile
import unittest

import harness

RUN = harness.ROOT / "deploy" / "run"


def setUpModule():
    harness.binary("ikstreamd")
    if harness.BUILD != harness.ROOT / "build":
        harness.skip("deploy/run serves what stands in build/")
    # As a second start finds it.
    harness.run(harness.ROOT / "deploy" / "viewer" / "build", timeout=500)


def addresses():
    names = ("--listen", "--metrics-listen", "--edge-listen", "--edge-admin")
    return {name: f"127.0.0.1:{harness.free_port()}" for name in names}


def children(pid):
    done = harness.run("ps", "-o", "pid=", "--ppid", pid)
    return [int(word) for word in done.stdout.split()]


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = folder.name
        self.at = addresses()

    def command(self, *more):
        flags = [f"{name}={value}" for name, value in self.at.items()]
        return [RUN, f"--out={self.out}", *flags, *more]

    def gone(self):
        for address in self.at.values():
            with socket.socket() as probe:
                self.assertNotEqual(
                    probe.connect_ex(("127.0.0.1", int(address.split(":")[1]))), 0, address
                )

    def test_once(self):
        done = harness.run(*self.command("--once"), cwd="/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no work to do", pathlib.Path(self.out, "build.log").read_text())
        self.assertIn(self.at["--edge-listen"], done.stdout)
        self.assertTrue(os.path.getsize(f"{self.out}/walk.clean.bvh"))
        self.assertRegex(done.stdout + done.stderr, re.compile("before.*after", re.I | re.S))
        self.gone()

    def test_without_viewer(self):
        done = harness.run(*self.command("--once", "--no-viewer"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("viewer", done.stdout)
        self.assertNotIn("viewer.log", os.listdir(self.out))

    def test_serves_until_it_is_interrupted(self):
        # What an earlier run left is not this one's: nothing listens there.
        left = "Serving HTTP on 127.0.0.1 port 9 (http://127.0.0.1:9/) ...\n"
        pathlib.Path(self.out, "viewer.log").write_text(left)
        with harness.Process(*self.command()) as run:
            run.wait_until("serving", lambda: "Ctrl-C stops" in run.words())
            self.assertIsNotNone(harness.fetch(f"http://{self.at['--metrics-listen']}/readyz"))
            self.assertIsNotNone(harness.fetch(f"http://{self.at['--edge-listen']}/v1/info"))
            if (harness.ROOT / "client" / "web" / "dist" / "index.html").exists():
                page = harness.fetch(f"http://{self.at['--edge-listen']}/")
                self.assertIn("ikstream viewer", page or "")
            started = children(run.pid)
            run.signal(signal.SIGTERM)
            self.assertEqual(run.wait(), 0)
            for pid in started:
                self.assertRaises(ProcessLookupError, os.kill, pid, 0)
        self.gone()

    def test_a_taken_port_is_named_at_once(self):
        for name, address in self.at.items():
            with self.subTest(name), socket.socket() as other:
                other.bind(("127.0.0.1", int(address.split(":")[1])))
                other.listen()
                done = harness.run(*self.command("--once"))
                self.assertEqual(done.returncode, 1)
                self.assertIn(address, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertNotIn("Building", done.stderr)

    def test_a_missing_certificate_is_named(self):
        flags = ("--tls-cert=/none.pem", "--tls-key=/none.pem")
        done = harness.run(*self.command("--once", "--no-edge", "--", *flags))
        self.assertEqual(done.returncode, 1)
        self.assertIn("--tls-cert: cannot read /none.pem", done.stderr)
        self.gone()

    def test_usage(self):
        self.assertEqual(harness.run(RUN, "--nonsense").returncode, 2)
        self.assertEqual(harness.run(RUN, "--listen").returncode, 2)
        self.assertEqual(harness.run(RUN, "--help").returncode, 0)
        done = harness.run(RUN, "--listen=somewhere")
        self.assertIn("HOST:PORT", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    harness.main()
