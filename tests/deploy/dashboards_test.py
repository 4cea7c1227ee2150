#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The dashboards: as their source makes them, whole, and about metrics that exist."""

import json
import re
import sys
import tempfile
import unittest

import harness

FOLDER = harness.ROOT / "deploy" / "grafana"
FILES = sorted(FOLDER.glob("dashboards/*.json"))


def panels(path):
    return json.loads(path.read_text())["panels"]


def queries():
    """Every query of every dashboard, as (where, expression)."""
    return [
        (f"{path.name}: {panel['title']}", target["expr"])
        for path in FILES
        for panel in panels(path)
        for target in panel.get("targets", [])
    ]


def known_names():
    """What the server exports, by metrics.def and its kinds, and what the rules record."""
    text = (harness.ROOT / "server" / "metrics" / "metrics.def").read_text()
    names = {"up", "ikstream_build_info"}
    for kind, name in re.findall(r'^(COUNTER|GAUGE|HISTOGRAM)\(\w+, "(\w+)"', text, re.M):
        ends = ("_bucket", "_sum", "_count") if kind == "HISTOGRAM" else ("",)
        names |= {name + end for end in ends}
    rules = (harness.ROOT / "deploy" / "prometheus" / "rules" / "recording.yml").read_text()
    names |= set(re.findall(r"- record: (\S+)", rules))
    process = (harness.ROOT / "server" / "metrics" / "process.cc").read_text()
    return names | set(re.findall(r'"(process_\w+)"', process))


def names_in(expression):
    bare = re.sub(r"\{[^}]*\}|\"[^\"]*\"|\[[^\]]*\]|\b(by|on) ?\([^)]*\)", " ", expression)
    return set(re.findall(r"\b(?:[a-z]+:)?(?:ikstream|process)_[\w:]+|\bup\b", bare))


class Dashboards(unittest.TestCase):
    def test_files_are_what_their_source_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            done = harness.run(sys.executable, "-B", FOLDER / "dashboards.py", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for path in FILES:
                with open(f"{folder}/{path.name}", encoding="utf-8") as file:
                    self.assertEqual(
                        path.read_text(), file.read(), "run deploy/grafana/dashboards.py"
                    )

    def test_panels_have_their_own_place_and_number(self):
        for path in FILES:
            taken, numbers = set(), set()
            for panel in panels(path):
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
                cells = {
                    (x, y)
                    for x in range(place["x"], place["x"] + place["w"])
                    for y in range(place["y"], place["y"] + place["h"])
                }
                self.assertFalse(cells & taken, panel["title"])
                self.assertNotIn(panel["id"], numbers)
                taken |= cells
                numbers.add(panel["id"])

    def test_every_panel_says_what_it_shows(self):
        for path in FILES:
            for panel in panels(path):
                if panel["type"] != "row":
                    self.assertTrue(panel["description"], panel["title"])
                    self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], panel["title"])

    def test_metrics_exist(self):
        known = known_names()
        self.assertGreater(len(queries()), 50)
        for where, expression in queries():
            used = names_in(expression)
            self.assertTrue(used, f"{where}: {expression}")
            self.assertFalse(used - known, where)

    def test_every_metric_is_shown_or_recorded(self):
        rules = "".join(p.read_text() for p in FOLDER.parent.glob("prometheus/rules/*.yml"))
        shown = {n for _, expression in queries() for n in names_in(expression)}
        for name in known_names() - {"up"}:
            stem = re.sub(r"_(bucket|sum|count)$", "", name)
            self.assertTrue(
                any(s.startswith(stem) for s in shown)
                or stem in rules
                or ":" in name
                or name == "process_start_time_seconds",
                f"{name} is on no dashboard and in no rule",
            )

    def test_provisioning_points_at_them(self):
        source = (FOLDER / "provisioning" / "datasources" / "prometheus.yml").read_text()
        self.assertIn("url: http://prometheus:9090", source)
        provider = (FOLDER / "provisioning" / "dashboards" / "ikstream.yml").read_text()
        compose = (FOLDER.parent / "compose.yaml").read_text()
        path = re.search(r"path: (\S+)", provider)[1]
        self.assertIn(f"./grafana/dashboards:{path}:ro", compose)


if __name__ == "__main__":
    harness.main()
