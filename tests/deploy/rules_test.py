#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Recording rules, alerts and scrape configurations, by promtool."""

import re
import unittest

import harness

FOLDER = harness.ROOT / "deploy" / "prometheus"
TESTS = harness.ROOT / "tests" / "deploy" / "prometheus" / "alerts.test.yml"


def setUpModule():
    global PROMTOOL
    PROMTOOL = harness.tool("promtool")


class Rules(unittest.TestCase):
    def promtool(self, *words):
        done = harness.run(PROMTOOL, *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rules_are_well_formed(self):
        self.promtool("check", "rules", "--lint-fatal", *sorted(FOLDER.glob("rules/*.yml")))

    def test_configurations_are_well_formed(self):
        for name in ("prometheus.yml", "compose.yml"):
            self.promtool("check", "config", FOLDER / name)

    def test_alerts_fire_when_they_should(self):
        self.promtool("test", "rules", TESTS)

    def test_each_alert_is_tested_to_fire(self):
        text = (FOLDER / "rules" / "alerts.yml").read_text()
        alerts = re.findall(r"- alert: (\w+)", text)
        fired = re.findall(r"alertname: (\w+)\n +exp_alerts:\n", TESTS.read_text())
        self.assertEqual(sorted(set(alerts)), sorted(set(fired)))


if __name__ == "__main__":
    harness.main()
