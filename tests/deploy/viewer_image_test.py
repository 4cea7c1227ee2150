#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The viewer's image: its Dockerfile's promises, and, where images.py can build it or
IKSTREAM_VIEWER_IMAGE names one, the page in Chromium through a real edge to a real server."""

import json
import os
import re
import unittest

import edge
import harness
import images
import page

FILE = harness.ROOT / "deploy" / "viewer" / "Dockerfile"


class Dockerfile(unittest.TestCase):
    """What holds without building."""

    TEXT = FILE.read_text()
    LAST = TEXT[TEXT.rindex("\nFROM ") :]

    def test_stands_on_the_base_of_the_service(self):
        base = r"^ARG DEBIAN=(\S+)$"
        other = (harness.ROOT / "deploy" / "Dockerfile").read_text()
        self.assertEqual(re.findall(base, self.TEXT, re.M), re.findall(base, other, re.M))
        self.assertEqual(set(re.findall(r"^FROM (\S+)", self.TEXT, re.M)), {"${DEBIAN}"})

    def test_runs_without_rights_and_without_npm(self):
        self.assertRegex(self.LAST, r"(?m)^USER [1-9]\d*:[1-9]\d*$")
        self.assertEqual(set(re.findall(r"install_packages (\w+)", self.LAST)), {"pages"})
        self.assertNotRegex(self.TEXT, r"apt(-get)? .*install")

    def test_commands_are_in_exec_form(self):
        for instruction in ("ENTRYPOINT", "  CMD", "RUN (?=\\[)"):
            for words in re.findall(rf"^{instruction} *(\[.*)$", self.joined(), re.M):
                self.assertIsInstance(json.loads(words), list)

    def joined(self):
        return self.TEXT.replace("\\\n", "")

    def test_what_it_copies_exists_and_reaches_the_build(self):
        kept = FILE.with_name("Dockerfile.dockerignore").read_text()
        for sources in re.findall(r"^COPY (?!--from|\. )(.+) \S+$", self.TEXT, re.M):
            for path in sources.split():
                self.assertTrue((harness.ROOT / path).exists(), path)
                self.assertTrue(
                    any(path.startswith(p) for p in re.findall(r"^!(\S+)", kept, re.M)), path
                )


class Built(images.Image):
    FILE = FILE
    VARIABLE = "IKSTREAM_VIEWER_IMAGE"
    TITLE = "ikstream-viewer"

    def start(self):
        """The image as compose runs it; the address of its files on this machine."""
        address = f"127.0.0.1:{harness.free_port()}"
        self.name = f"ikstream-viewer-test-{os.getpid()}"
        container = harness.Process(
            *("podman", "run", "--name", self.name, *images.CONFINED),
            *("--publish", f"{address}:8080", self.tag),
        )
        self.addCleanup(container.stop)
        container.wait_until("the page", lambda: harness.fetch(f"http://{address}/"), 120)
        return container, address

    def test_serves_read_only_and_without_rights(self):
        container, _ = self.start()
        done = images.podman("healthcheck", "run", self.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_confined(self.name)
        images.podman("stop", "--time=30", self.name)
        self.assertEqual(container.wait(60), 0)

    def test_its_health_check_can_fail(self):
        check = self.inspect()["Healthcheck"]["Test"]
        self.assertEqual(check[0], "CMD")
        run = ("run", *images.CONFINED, "--network=none", "--entrypoint", check[1])
        done = images.podman(*run, self.tag, *check[2:])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_in_chromium_through_the_edge(self):
        page.build()  # for the browser's driver
        _, files = self.start()
        with harness.Server() as server:
            with edge.Edge([server], IKSTREAM_EDGE_VIEWER=files) as front:
                page.drive(front.address)


if __name__ == "__main__":
    harness.main()
