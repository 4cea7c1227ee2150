# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Clips of any length through SolveStream: the same bits at any batch size, in bounded memory.

IKSTREAM_LONG_FRAMES sets the length of the long clip; 1000000 is what is promised.
"""

import json
import os
import pathlib
import subprocess
import unittest

import harness

LONG = int(os.environ.get("IKSTREAM_LONG_FRAMES", "150000"))
MOST_MEGABYTES = 200


def peak_megabytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM")


class LongClip(harness.TestCase):
    def setUp(self):
        super().setUp()
        harness.make_clips(self.folder, "--kind", "loop", "--fps", "120")

    def clean(self, *args):
        command = [harness.BIN / "long_clip", self.folder / "loop.bvh", *args]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=1800
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_batches_and_servers_do_not_matter(self):
        whole = self.clean("--frames=3000", "--batch=3000")
        self.assertGreater(whole["contacts"], 20)
        for batch in (1, 7, 64):
            part = self.clean("--frames=3000", f"--batch={batch}")
            self.assertEqual(part["hash"], whole["hash"], batch)
        with harness.Server() as server:
            there = self.clean("--frames=3000", "--batch=100", f"--server={server.address}")
        self.assertEqual(there["hash"], whole["hash"])

    @unittest.skipIf(os.environ.get("IKSTREAM_SANITIZED"), "sanitizers need memory of their own")
    @unittest.skipUnless(pathlib.Path("/proc/self/status").exists(), "no /proc to read")
    def test_memory_is_bounded(self):
        with harness.Server("--workers=1") as server:
            told = self.clean(f"--frames={LONG}", f"--server={server.address}")
            megabytes = peak_megabytes(server.pid)
        print(f"{LONG} frames: {told}, server {megabytes:.0f} MB")
        self.assertEqual(told["frames"], LONG)
        self.assertGreater(told["contacts"], LONG / 120)
        self.assertLess(megabytes, MOST_MEGABYTES)
        self.assertLess(told["peak_kilobytes"] / 1024, MOST_MEGABYTES)


if __name__ == "__main__":
    unittest.main()
