#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The viewer: its own tests, and the built page in Chromium through a real edge to a real
server. The last picture stays in the build folder as viewer.png."""

import http.client
import re
import unittest

import edge
import harness
import page

WEB = page.WEB


def setUpModule():
    page.build()


class FileServer(harness.Process):
    """As deploy/run starts it."""

    def __init__(self):
        options = ("--bind", "127.0.0.1", "--directory", WEB / "dist")
        super().__init__("python3", "-u", "-m", "http.server", *options, "0")
        found = self.wait_until("files", lambda: re.search(r" port (\d+) ", self.words()))
        self.address = f"127.0.0.1:{found[1]}"


class Units(unittest.TestCase):
    def test_client_and_state(self):
        done = harness.run(WEB / "node_modules" / ".bin" / "vitest", "run", cwd=WEB)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        files, server = FileServer(), harness.Server()
        cls.addClassCleanup(files.stop)
        cls.addClassCleanup(server.stop)
        cls.edge = edge.Edge([server], IKSTREAM_EDGE_VIEWER=files.address)
        cls.addClassCleanup(cls.edge.stop)

    def get(self, path):
        connection = http.client.HTTPConnection(self.edge.address, timeout=harness.PATIENCE)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def test_page_and_calls_share_the_port(self):
        status, text = self.get("/")
        self.assertEqual(status, 200)
        script = re.search(r'src="(/assets/[^"]+\.js)"', text)[1]
        self.assertEqual(self.get(script)[0], 200)
        self.assertEqual(self.get("/v1/info")[0], 200)
        self.assertEqual(self.get("/nowhere")[0], 404)

    def test_nothing_comes_from_elsewhere(self):
        text = self.get("/")[1]
        sources = re.findall(r'(?:src|href)="([^"]+)"', text)
        self.assertTrue(sources)
        for source in sources:
            self.assertRegex(source, r"^(/|data:)", text)

    def test_in_chromium(self):
        page.drive(self.edge.address)


if __name__ == "__main__":
    harness.main()
