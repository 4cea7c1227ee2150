# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Clips through servers that die, drain, fill up, or ask for credentials."""

import shutil
import signal
import subprocess
import time
import unittest

import harness

WALK = harness.SAMPLES / "walk_flat.bvh"


class Failing(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "in"
        self.out = self.folder / "out"
        self.source.mkdir()
        for i in range(60):
            shutil.copy(WALK, self.source / f"{i:02}.bvh")
        self.expected = self.folder / "expected.bvh"
        self.ok("clean", WALK, "-o", self.expected, "--no-sidecars")

    def wait_for_first(self):
        end = time.monotonic() + 120
        while not list(self.out.glob("*.report.json")):
            self.assertLess(time.monotonic(), end, "no clip was cleaned")
            time.sleep(0.01)

    def check_all(self, process):
        out, err = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(process.returncode, 0, out.decode() + err.decode())
        clips = sorted(self.out.glob("*.bvh"))
        self.assertEqual(len(clips), 60)
        for clip in clips:
            self.assertEqual(clip.read_bytes(), self.expected.read_bytes(), clip)

    def restarted(self, stop):
        """A run during which the server is stopped and another one takes its port."""
        with harness.Server() as first:
            process = harness.start(
                "clean", self.source, "-o", self.out, "--server", first.address, "--jobs=4"
            )
            self.addCleanup(process.kill)
            self.wait_for_first()
            stop(first)
        with harness.Server(port=first.port):
            self.check_all(process)

    def test_killed_server(self):
        self.restarted(lambda server: server.kill())

    def test_drained_server(self):
        self.restarted(lambda server: self.assertEqual(server.terminate(), 0))

    def test_server_that_is_back_is_found_at_once(self):
        """Away for so long that clips wait seconds between attempts and connections back off."""
        done = lambda: len(list(self.out.glob("*.report.json")))
        with harness.Server() as first:
            process = harness.start(
                "clean", self.source, "-o", self.out, "--server", first.address, "--jobs=4"
            )
            self.addCleanup(process.kill)
            self.wait_for_first()
            first.kill()
        time.sleep(4)
        before = done()
        with harness.Server(port=first.port):
            back = time.monotonic()
            while done() == before and process.poll() is None:
                time.sleep(0.01)
            found = time.monotonic() - back
            self.check_all(process)
            begin = time.monotonic()
            self.ok("clean", WALK, "-o", self.folder / "new.bvh", "--server", first.address)
            new = time.monotonic() - begin
        # A connection backs off for less than 1 s; the rest is what the machine takes for a clip.
        self.assertLess(found, 2.0 + 5 * new)

    def test_server_that_stays_away(self):
        with harness.Server() as server:
            address = server.address
        out = self.folder / "clean.bvh"
        self.fails(4, address, args=("clean", WALK, "-o", out, "--server", address, "--retries=2"))
        self.assertFalse(out.exists())

    def test_full_server_is_asked_again(self):
        with harness.Server("--max-streams=1") as server:
            process = harness.start(
                "clean", self.source, "-o", self.out, "--server", server.address,
                "--jobs=6", "--retries=50",
            )
            self.addCleanup(process.kill)
            self.check_all(process)

    def test_interrupt_reaches_calls_under_way(self):
        with harness.Server() as server:
            process = harness.start(
                "clean", self.source, "-o", self.out, "--server", server.address
            )
            self.wait_for_first()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=120), 130)
            process.communicate()


class Credentials(harness.TestCase):
    def test_token(self):
        token = self.folder / "token"
        token.write_text("sesame\n")
        other = self.folder / "other"
        other.write_text("open\n")
        with harness.Server(f"--token-file={token}") as server:
            args = ("info", "--server", server.address)
            self.fails(7, args=args)
            self.fails(7, args=(*args, "--token-file", other))
            self.ok(*args, "--token-file", token)

    def test_tls(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl makes the certificate")
        cert, key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=ikstream.test", "-addext", "subjectAltName=DNS:ikstream.test",
             "-keyout", str(key), "-out", str(cert)],
            check=True, capture_output=True,
        )
        with harness.Server(f"--tls-cert={cert}", f"--tls-key={key}") as server:
            args = ("info", "--server", server.address)
            named = ("--tls-ca", cert, "--tls-server-name=ikstream.test")
            self.ok(*args, *named)
            self.fails(4, args=args)
            self.fails(4, args=(*args, "--tls"))
            self.fails(4, args=(*args, "--tls-ca", cert, "--tls-server-name=other.test"))
        self.fails(2, args=("info", "--server=x:1", "--tls", "--tls-cert", cert))


if __name__ == "__main__":
    unittest.main()
