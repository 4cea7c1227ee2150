#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The edge's circuit breaker: as many calls as it is set to are in progress at the replicas, one
more is refused at once and reaches none of them."""

import http.client
import json
import unittest

import edge
import grpc_web
import harness
import work

MOST = 3
OK, UNAVAILABLE = 0, 14
SERVING = b"\x08\x01"


class Breaker(unittest.TestCase):
    def setUp(self):
        self.server = harness.Server("--log-level=warning")
        self.addCleanup(self.server.stop)
        self.front = edge.Edge([self.server], IKSTREAM_EDGE_MAX_CALLS=str(MOST))
        self.addCleanup(self.front.stop)
        self.message = work.solve(frames=1, iterations=10)
        self.held = [self.watch() for _ in range(MOST)]

    def watch(self):
        """A call that stays in progress; returned once the server has answered it."""
        connection = grpc_web.connect(
            self.front.address, "Watch", b"", service="grpc.health.v1.Health"
        )
        self.addCleanup(connection.close)
        self.assertEqual(connection.getresponse().read(5 + len(SERVING))[5:], SERVING)
        return connection

    def solve(self):
        return grpc_web.call(self.front.address, "Solve", self.message).code

    def started(self):
        return work.counter(self.server, "ikstream_rpc_started_total", method="Solve")

    def test_one_call_too_many_is_refused(self):
        self.assertEqual(self.front.stat("circuit_breakers.default.rq_open"), 1)
        self.assertEqual(self.solve(), UNAVAILABLE)
        self.assertEqual(self.front.stat("upstream_rq_active_overflow"), 1)
        self.assertEqual(self.front.stat("upstream_rq_retry"), 0)
        self.assertEqual(self.started(), 0)
        flags = lambda: [
            json.loads(line)["flags"]
            for line in self.front.words().splitlines()
            if "/Solve" in line
        ]
        self.assertEqual(harness.wait_until("the access log", flags), ["UO"])

    def test_as_json_too(self):
        connection = http.client.HTTPConnection(self.front.address, timeout=harness.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/info")
        self.assertEqual(connection.getresponse().status, 503)

    def test_a_call_that_ends_makes_room(self):
        self.held[0].close()
        stat = "circuit_breakers.default.rq_open"
        harness.wait_until("room", lambda: self.front.stat(stat) == 0)
        self.assertEqual(self.solve(), OK)
        self.assertEqual(self.started(), 1)


if __name__ == "__main__":
    harness.main()
