#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The edge in front of two real replicas: what browsers, curl and gRPC clients get."""

import http.client
import json
import math
import pathlib
import re
import signal
import ssl
import tempfile
import time
import unittest

import edge
import grpc_web
import harness

REQUEST = (harness.DATA / "solve.json").read_text()
TARGET = (0.3, 0.4, 0.2)
BAD = json.loads(REQUEST)
BAD["setup"]["rig"]["chains"][0]["endJoint"] = 99


def setUpModule():
    global SERVERS, EDGE
    SERVERS = [harness.Server() for _ in range(2)]
    for server in SERVERS:
        unittest.addModuleCleanup(server.stop)
    EDGE = edge.Edge(SERVERS)
    unittest.addModuleCleanup(EDGE.stop)


def http_call(method, path, body=None, headers=None, address=None, tls=None):
    kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    options = {"context": tls} if tls else {}
    connection = kind(address or EDGE.address, timeout=harness.PATIENCE, **options)
    try:
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read().decode()
    finally:
        connection.close()


def post_json(path, body):
    return http_call("POST", path, body, {"content-type": "application/json"})


def rotate(quaternion, vector):
    x, y, z, w = quaternion
    u, v = (x, y, z), vector
    cross = lambda a, b: (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )
    t = [2 * c for c in cross(u, v)]
    tt = cross(u, t)
    return tuple(v[i] + w * t[i] + tt[i] for i in range(3))


def ankle(rotations):
    """Where the request's leg ends, by forward kinematics of our own."""
    hip, knee = rotations[0:4], rotations[4:8]
    shin = rotate(knee, (0, -0.5, 0))
    below = tuple(a + b for a, b in zip((0, -0.5, 0), shin))
    return tuple(a + b for a, b in zip((0, 1, 0), rotate(hip, below)))


def text_request():
    """The request's message in bytes, by way of protoc's text format."""
    text = """
      setup { mode: MODE_SOLVE all_joints: true rig { up: UP_AXIS_Y
        skeleton {
          joints { name: "hip" offset { y: 1 } }
          joints { name: "knee" parent: 0 offset { y: -0.5 } }
          joints { name: "ankle" parent: 1 offset { y: -0.5 } } }
        chains { name: "leg" root_joint: 0 end_joint: %d } } }
      motion { root_positions: [0, 1, 0] local_rotations: [0,0,0,1, 0,0,0,1, 0,0,0,1]
        targets { positions: [0.3, 0.4, 0.2] } }"""
    return lambda kind, end=2: harness.protoc(
        "encode", f"ikstream.v1.{kind}", (text % end).encode()
    )


MESSAGE = text_request()


class Json(unittest.TestCase):
    def test_solve(self):
        status, _, body = post_json("/v1/solve", REQUEST)
        self.assertEqual(status, 200, body)
        rotations = json.loads(body)["motion"]["localRotations"]
        self.assertLess(math.dist(ankle(rotations), TARGET), 1e-3)

    def test_curl(self):
        done = harness.run(
            harness.tool("curl"),
            *("--silent", "--fail", "-H", "content-type: application/json"),
            *("-d", f"@{harness.DATA / 'solve.json'}", f"http://{EDGE.address}/v1/solve"),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("localRotations", done.stdout)

    def test_info(self):
        status, _, body = http_call("GET", "/v1/info")
        self.assertEqual(status, 200, body)
        self.assertTrue(json.loads(body)["solvers"])

    def test_error_names_the_field(self):
        status, _, body = post_json("/v1/solve", json.dumps(BAD))
        self.assertEqual(status, 400, body)
        error = json.loads(body)
        self.assertEqual(error["code"], 3)
        fields = [v["field"] for d in error["details"] for v in d.get("fieldViolations", [])]
        self.assertIn("setup.rig.chains[0].end_joint", fields)

    def test_text_that_is_no_json(self):
        status, _, body = post_json("/v1/solve", "{")
        self.assertEqual(status, 400, body)

    def test_unknown_path(self):
        status, _, body = http_call("GET", "/nowhere")
        self.assertEqual(status, 404)
        self.assertIn("/v1/solve", body)


class GrpcWeb(unittest.TestCase):
    def test_unary(self):
        answer = grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest"))
        self.assertEqual(answer.code, 0, answer.trailers)
        text = harness.protoc(
            "decode", "ikstream.v1.SolveResponse", answer.messages[0]
        ).decode()
        rotations = [float(v) for v in re.findall(r"local_rotations: (\S+)", text)]
        self.assertLess(math.dist(ankle(rotations), TARGET), 1e-3)

    def test_server_streaming(self):
        answer = grpc_web.call(EDGE.address, "SolveClip", MESSAGE("SolveClipRequest"))
        self.assertEqual(answer.code, 0, answer.trailers)
        kinds = [
            harness.protoc("decode", "ikstream.v1.SolveClipResponse", m).decode().split()[0]
            for m in answer.messages
        ]
        self.assertEqual((kinds[0], kinds[-1]), ("ready", "summary"))
        self.assertIn("motion", kinds)

    def test_error_details_reach_the_client(self):
        answer = grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest", 99))
        self.assertEqual(answer.code, 3, answer.trailers)
        self.assertIn("setup.rig.chains[0].end_joint", answer.details())

    def test_preflight_of_a_known_origin(self):
        headers = {
            "Origin": "http://localhost:5173",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type,x-grpc-web,grpc-timeout",
        }
        for path in ("/ikstream.v1.IkService/Solve", "/v1/solve"):
            with self.subTest(path):
                status, got, _ = http_call("OPTIONS", path, headers=headers)
                self.assertEqual(status, 200)
                self.assertEqual(got["access-control-allow-origin"], "http://localhost:5173")
                for name in ("x-grpc-web", "grpc-timeout", "authorization", "traceparent"):
                    self.assertIn(name, got["access-control-allow-headers"])

    def test_answer_exposes_status_and_details(self):
        origin = {"Origin": "http://127.0.0.1:8000"}
        answer = grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest", 99), origin)
        exposed = answer.headers["access-control-expose-headers"]
        for name in ("grpc-status", "grpc-message", "grpc-status-details-bin"):
            self.assertIn(name, exposed)

    def test_foreign_origin_is_not_let_in(self):
        for origin in ("https://elsewhere.example", "http://localhost.elsewhere.example"):
            headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            _, got, _ = http_call("OPTIONS", "/ikstream.v1.IkService/Solve", headers=headers)
            self.assertNotIn("access-control-allow-origin", got)

    def test_a_silent_stream_outlives_the_usual_time_out(self):
        watched = harness.protoc(
            "encode", "ikstream.v1.GetServerInfoRequest", b""
        )  # an empty message: the health of the whole server
        connection = grpc_web.connect(
            EDGE.address, "Watch", watched, service="grpc.health.v1.Health"
        )
        self.addCleanup(connection.close)
        response = connection.getresponse()
        self.assertEqual(response.read(5 + 2)[5:], b"\x08\x01")  # SERVING
        response.fp.raw._sock.settimeout(17)
        with self.assertRaises(TimeoutError):
            response.read(1)


class Grpc(unittest.TestCase):
    def test_command_line(self):
        ikstream = harness.binary("ikstream")
        done = harness.run(ikstream, "health", "--server", EDGE.address)
        self.assertEqual(done.returncode, 0, done.stderr)
        request = harness.DATA / "solve.json"
        done = harness.run(ikstream, "solve", request, "--server", EDGE.address)
        self.assertEqual(done.returncode, 0, done.stderr)
        rotations = json.loads(done.stdout)["motion"]["local_rotations"]
        self.assertLess(math.dist(ankle(rotations), TARGET), 1e-3)


class Replicas(unittest.TestCase):
    def handled(self, server):
        text = harness.fetch(f"http://{server.metrics}/metrics")
        lines = re.findall(r'^ikstream_rpc_handled_total\{.*method="Solve".* (\d+)', text, re.M)
        return sum(map(int, lines))

    def test_calls_are_spread(self):
        before = [self.handled(server) for server in SERVERS]
        for _ in range(40):
            grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest"))
        gained = [self.handled(server) - b for server, b in zip(SERVERS, before)]
        self.assertEqual(sum(gained), 40)
        self.assertGreater(min(gained), 5, gained)

    def test_a_draining_replica_costs_no_call(self):
        staying = harness.Server()
        self.addCleanup(staying.stop)
        leaving = harness.Server("--drain-propagation-seconds=4")
        self.addCleanup(leaving.stop)
        with edge.Edge([staying, leaving]) as front:
            request = MESSAGE("SolveRequest")
            leaving.signal(signal.SIGTERM)
            codes, end = set(), time.monotonic() + harness.PATIENCE
            while leaving.alive() and time.monotonic() < end:
                codes.add(grpc_web.call(front.address, "Solve", request).code)
            for _ in range(20):
                codes.add(grpc_web.call(front.address, "Solve", request).code)
            self.assertEqual(leaving.wait(), 0)
            self.assertEqual(codes, {0})
            harness.wait_until("one replica", lambda: front.healthy() == 1)

    def test_a_killed_replica_is_left_out(self):
        staying, dying = harness.Server(), harness.Server()
        self.addCleanup(staying.stop)
        self.addCleanup(dying.stop)
        with edge.Edge([staying, dying]) as front:
            dying.signal(signal.SIGKILL)
            dying.wait()
            request = MESSAGE("SolveRequest")
            codes = {grpc_web.call(front.address, "Solve", request).code for _ in range(60)}
            self.assertEqual(codes, {0})
            harness.wait_until("one replica", lambda: front.healthy() == 1)
            self.assertGreater(front.stat("outlier_detection.ejections_enforced_total"), 0)


class Surroundings(unittest.TestCase):
    def test_access_log_holds_the_trace(self):
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        grpc_web.call(
            EDGE.address, "Solve", MESSAGE("SolveRequest", 99), {"traceparent": trace}
        )
        line = harness.wait_until(
            "the log", lambda: [w for w in EDGE.words().splitlines() if trace in w]
        )[0]
        entry = json.loads(line)
        self.assertEqual(entry["grpc_status"], "InvalidArgument")
        self.assertEqual(entry["path"], "/ikstream.v1.IkService/Solve")

    def test_tls(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cert, key = pathlib.Path(folder.name, "cert.pem"), pathlib.Path(folder.name, "key.pem")
        done = harness.run(
            harness.tool("openssl"),
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-keyout", key, "-out", cert, "-subj", "/CN=edge"),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        server = harness.Server(f"--tls-cert={cert}", f"--tls-key={key}")
        self.addCleanup(server.stop)
        variables = {
            "IKSTREAM_EDGE_CERT": str(cert),
            "IKSTREAM_EDGE_KEY": str(key),
            "IKSTREAM_EDGE_UPSTREAM_CA": str(cert),
        }
        with edge.Edge([server], **variables) as front:
            trusting = ssl.create_default_context(cafile=str(cert))
            status, _, _ = http_call("GET", "/v1/info", address=front.address, tls=trusting)
            self.assertEqual(status, 200)
            with self.assertRaises((http.client.HTTPException, ConnectionError)):
                http_call("GET", "/v1/info", address=front.address)


if __name__ == "__main__":
    harness.main()
