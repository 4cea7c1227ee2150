#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""What keeps the edge from starting is told in a sentence, before or by Envoy."""

import os
import socket
import unittest

import edge
import harness

START = harness.ROOT / "deploy" / "envoy" / "start"


def start(*words, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("IKSTREAM_EDGE")}
    environment |= {"IKSTREAM_DESCRIPTORS": str(harness.descriptors()), **variables}
    return harness.run(START, *words, env=environment)


class Refused(unittest.TestCase):
    def refused(self, *words, **variables):
        done = start("--print", **variables)
        self.assertEqual(done.returncode, 2, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_addresses(self):
        for name in ("LISTEN", "ADMIN", "UPSTREAMS", "VIEWER"):
            for address in (
                "somewhere",
                "host:",
                ":80",
                "a b:80",
                'x"y:80',
                "host:8o",
                "host:0",
                "host:65536",
            ):
                with self.subTest(name, address=address):
                    self.refused(address, **{f"IKSTREAM_EDGE_{name}": address})

    def test_certificates(self):
        for name in ("CERT", "KEY"):
            given = {f"IKSTREAM_EDGE_{name}": "/none.pem"}
            self.refused("/none.pem", "IKSTREAM_EDGE_CERT", **given)
        self.refused("/none.pem", IKSTREAM_EDGE_UPSTREAM_CA="/none.pem")

    def test_descriptors(self):
        self.refused("/none.pb", "build first", IKSTREAM_DESCRIPTORS="/none.pb")

    def test_origins(self):
        self.refused("IKSTREAM_EDGE_ORIGINS", IKSTREAM_EDGE_ORIGINS="it's")

    def test_calls(self):
        for number in ("0", "-1", "many", "1e3", "1000000"):
            self.refused("IKSTREAM_EDGE_MAX_CALLS", number, IKSTREAM_EDGE_MAX_CALLS=number)

    def test_what_is_filled_in(self):
        variables = {"UPSTREAMS": "a:1,b:2", "ORIGINS": "https://x&y"}
        done = start("--print", **{f"IKSTREAM_EDGE_{k}": v for k, v in variables.items()})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('{address: "a", port_value: 1}', done.stdout)
        self.assertIn('{address: "b", port_value: 2}', done.stdout)
        self.assertIn("'https://x&y'", done.stdout)
        self.assertIn("max_requests: 4096", done.stdout)
        self.assertIn("direct_response", done.stdout)
        viewer = start("--print", IKSTREAM_EDGE_VIEWER="pages:81").stdout
        self.assertIn('{address: "pages", port_value: 81}', viewer)
        self.assertNotIn("direct_response", viewer)
        usual = r"'https?://(localhost|127\.0\.0\.1)(:[0-9]+)?'"
        self.assertTrue(usual in start("--print").stdout)
        settings = [w for w in done.stdout.splitlines() if not w.lstrip().startswith("#")]
        self.assertFalse([line for line in settings if "${" in line])


class Taken(unittest.TestCase):
    def test_a_taken_port_ends_the_edge(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            address = "127.0.0.1:%d" % other.getsockname()[1]
            done = start(
                ENVOY=str(edge.envoy()),
                IKSTREAM_EDGE_LISTEN=address,
                IKSTREAM_EDGE_ADMIN=f"127.0.0.1:{harness.free_port()}",
            )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(address, done.stderr)


if __name__ == "__main__":
    harness.main()
