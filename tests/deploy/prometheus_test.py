#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A real Prometheus scrapes a real server under load: every query of the dashboards, every
recording rule and every alert's left side has data; the metrics pass promtool's lint."""

import json
import re
import tempfile
import unittest
import urllib.parse

import adapter
import dashboards_test
import edge
import grpc_web
import harness
from edge_test import MESSAGE

RULES = harness.ROOT / "deploy" / "prometheus" / "rules"


def setUpModule():
    global SERVER, EDGE, PROMETHEUS, PORT
    program = harness.tool("prometheus")
    SERVER = harness.Server()
    unittest.addModuleCleanup(SERVER.stop)
    EDGE = edge.Edge([SERVER])
    unittest.addModuleCleanup(EDGE.stop)
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    PORT = harness.free_port()
    PROMETHEUS = harness.Process(
        program,
        f"--config.file={configuration(folder.name)}",
        f"--storage.tsdb.path={folder.name}/data",
        f"--web.listen-address=127.0.0.1:{PORT}",
    )
    unittest.addModuleCleanup(PROMETHEUS.stop)
    load()


def configuration(folder):
    """deploy/prometheus/prometheus.yml with this test's addresses and a quick beat."""
    text = (RULES.parent / "prometheus.yml").read_text()
    text = text.replace("127.0.0.1:9464", SERVER.metrics).replace("127.0.0.1:9901", EDGE.admin)
    # As a cluster's discovery labels a replica; adapter.yml goes by these.
    labelled = f'["{SERVER.metrics}"]\n        labels: {{namespace: ik, pod: ik-0}}'
    text = text.replace(f'["{SERVER.metrics}"]', labelled)
    text = text.replace(": 15s", ": 1s").replace("rules/*.yml", f"{RULES}/*.yml")
    path = f"{folder}/prometheus.yml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def load():
    """Every kind of call, over several scrapes."""
    ikstream = harness.binary("ikstream")
    clip = sorted((harness.ROOT / "tests" / "data" / "samples").glob("*.bvh"))[0]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(3):
            done = harness.run(
                *(ikstream, "clean", clip, "--output", f"{folder}/{number}.bvh"),
                *("--server", SERVER.address, "--quiet"),
            )
            if done.returncode:
                raise AssertionError(done.stderr)
            for _ in range(20):
                grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest"))
                grpc_web.call(EDGE.address, "SolveClip", MESSAGE("SolveClipRequest"))
            grpc_web.call(EDGE.address, "Solve", MESSAGE("SolveRequest", 99))
            harness.fetch(f"http://{EDGE.address}/v1/info")
            harness.wait_until("a scrape", lambda: solved() == 20 * (number + 1))


def solved():
    """How many good Solve calls Prometheus knows of."""
    found = evaluate('sum(ikstream_rpc_handled_total{method="Solve",code="OK"})')
    return int(found[0]["value"][1]) if found else 0


def ask(path, **parameters):
    query = urllib.parse.urlencode(parameters)
    answer = harness.fetch(f"http://127.0.0.1:{PORT}/api/v1/{path}?{query}")
    if answer is None:
        raise AssertionError(f"Prometheus does not take {parameters}")
    return json.loads(answer)["data"]


def evaluate(expression):
    expression = expression.replace("$__rate_interval", "20s").replace("$instance", ".*")
    return ask("query", query=expression)["result"]


def has_data(expression):
    """Rules are evaluated in turn, each a beat after what it is made from."""
    harness.wait_until(expression, lambda: evaluate(expression), 20)


class Scraped(unittest.TestCase):
    def test_metrics_pass_the_lint(self):
        text = harness.fetch(f"http://{SERVER.metrics}/metrics")
        done = harness.run(harness.tool("promtool"), "check", "metrics", input=text)
        self.assertEqual((done.returncode, done.stderr + done.stdout), (0, ""))

    def test_targets_are_up(self):
        targets = ask("targets")["activeTargets"]
        self.assertEqual({t["labels"]["job"] for t in targets}, {"ikstreamd", "edge"})
        self.assertEqual({t["health"] for t in targets}, {"up"})

    def test_every_panel_has_data(self):
        for where, expression in dashboards_test.queries():
            with self.subTest(where):
                has_data(expression)

    def test_every_recording_rule_has_data(self):
        text = (RULES / "recording.yml").read_text()
        for name in re.findall(r"- record: (\S+)", text):
            with self.subTest(name):
                has_data(name)

    def test_the_autoscalers_rule_has_data(self):
        rule = adapter.Rule()
        (wait,) = evaluate(rule.query("ik", ["ik-0", "ik-1"]))
        self.assertEqual(wait["metric"], {"pod": "ik-0"})
        self.assertGreater(float(wait["value"][1]), 0)
        self.assertEqual(evaluate(rule.query("ik", ["ik-1"])), [])

    def test_every_alert_looks_at_data(self):
        groups = ask("rules")["groups"]
        alerts = [r for g in groups for r in g["rules"] if r["type"] == "alerting"]
        self.assertGreater(len(alerts), 10)
        for alert in alerts:
            with self.subTest(alert["name"]):
                self.assertEqual(alert["health"], "ok", alert.get("lastError"))
                for part in re.split(r" and (?!on)", alert["query"]):
                    left = re.split(r" (?:==|>=?|<=?) ", part)[0]
                    if not left.startswith("absent("):
                        has_data(left)

    def test_a_healthy_server_alerts_nobody(self):
        names = {alert["labels"]["alertname"] for alert in ask("alerts")["alerts"]}
        # Work may wait where others use the machine, too.
        self.assertEqual(names - {"IkstreamQueueWaitHigh", "IkstreamSaturated"}, set())

    def test_counts_are_right(self):
        self.assertEqual(solved(), 60)
        bad = evaluate('ikstream_rpc_handled_total{method="Solve",code="INVALID_ARGUMENT"}')
        self.assertEqual(int(bad[0]["value"][1]), 3)


if __name__ == "__main__":
    harness.main()
