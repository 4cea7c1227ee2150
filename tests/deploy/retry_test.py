#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""What the edge does with full and draining replicas: unary calls go to another one within a
budget, streams are never made twice, a replica that drains gets nothing new."""

import pathlib
import signal
import tempfile
import unittest

import edge
import grpc_web
import harness
import work

OK, RESOURCE_EXHAUSTED = 0, 8
# One call is worked on, one may wait; then the replica is full.
FULL = ("--workers=1", "--queue-capacity=1", "--max-iterations=1000000", "--log-level=warning")


def setUpModule():
    global LOAD, FOLDER, SMALL, SMALL_CLIP
    LOAD = work.Load()
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    FOLDER = pathlib.Path(folder.name)
    SMALL = work.solve(frames=1, iterations=10)
    SMALL_CLIP = work.solve(frames=1, iterations=10, kind="SolveClipRequest")
    (FOLDER / "small").write_bytes(SMALL)
    # Most of a second of work; a longer answer would be too large for a unary call.
    (FOLDER / "long").write_bytes(work.solve(frames=1000, iterations=1_000_000))


class Edge(unittest.TestCase):
    def server(self, *flags):
        server = harness.Server(*flags)
        self.addCleanup(server.stop)
        return server

    def full_server(self):
        """A replica that is busy with calls that do not come through the edge."""
        server = self.server(*FULL)
        filler = LOAD.start(server.address, FOLDER / "long", seconds=120, concurrency=4)
        self.addCleanup(filler.stop)
        filler.wait_until(
            "a full queue", lambda: work.counter(server, "ikstream_queue_depth") == 1
        )
        return server

    def front(self, servers):
        front = edge.Edge(servers)
        self.addCleanup(front.stop)
        return front

    def test_a_full_replica_costs_no_unary_call(self):
        full, free = self.full_server(), self.server("--log-level=warning")
        front = self.front([full, free])
        for _ in range(60):
            self.assertEqual(grpc_web.call(front.address, "Solve", SMALL).code, OK)
        refused = work.counter(full, "ikstream_rejected_total", reason="queue_full")
        self.assertGreater(front.stat("upstream_rq_retry_success"), 10)
        self.assertGreater(refused, 10)

    def test_retries_are_few_where_all_replicas_are_full(self):
        front = self.front([self.full_server(), self.full_server()])
        codes = LOAD.run(front.address, FOLDER / "small", seconds=5, concurrency=64)
        calls = sum(codes.values())
        self.assertGreater(codes["RESOURCE_EXHAUSTED"], 0.99 * calls, codes)
        retries = front.stat("upstream_rq_retry")
        print(f"{calls} calls, {retries} retries, {retries / calls:.3f} a call", flush=True)
        self.assertGreater(front.stat("upstream_rq_retry_overflow"), 0)
        # 20 % of what is under way, counted while a retry waits for its turn, too.
        self.assertLess(retries, 0.25 * calls)

    def test_streams_are_not_made_twice(self):
        front = self.front([self.full_server(), self.full_server()])
        before = front.stat("upstream_rq_total")
        for _ in range(10):
            answer = grpc_web.call(front.address, "SolveClip", SMALL_CLIP)
            self.assertEqual(answer.code, RESOURCE_EXHAUSTED, answer.trailers)
            self.assertIn("google.rpc.RetryInfo", answer.details())
        self.assertEqual(front.stat("upstream_rq_total") - before, 10)
        self.assertEqual(front.stat("upstream_rq_retry"), 0)

    def test_a_draining_replica_gets_nothing_new(self):
        staying = self.server("--log-level=warning")
        leaving = self.server("--drain-propagation-seconds=300", "--log-level=warning")
        self.addCleanup(leaving.signal, signal.SIGKILL)
        front = self.front([staying, leaving])
        started = lambda server: work.counter(
            server, "ikstream_rpc_started_total", method="Solve"
        )
        leaving.signal(signal.SIGTERM)
        harness.wait_until("one replica", lambda: front.healthy() == 1)
        before = started(leaving), started(staying)
        for _ in range(40):
            self.assertEqual(grpc_web.call(front.address, "Solve", SMALL).code, OK)
        self.assertTrue(leaving.alive())
        self.assertEqual(started(leaving), before[0])
        self.assertEqual(started(staying), before[1] + 40)


if __name__ == "__main__":
    harness.main()
