#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The chart's autoscaler on the wait for a worker, on a cluster (see cluster.py): real servers
stand for the pods, a real Prometheus scrapes them under the pods' names, and the adapter's rule
turns that into what the autoscaler reads. The cluster's API server must run on this machine."""

import json
import pathlib
import tempfile
import unittest

import adapter
import cluster
import harness
import work
from cluster import SPACE, helm, kubectl, objects, ready

API = "v1beta2.custom.metrics.k8s.io"


def setUpModule():
    cluster.connect()


def scrape_config(servers):
    """Prometheus' configuration: each server under the name of a pod."""
    targets = "".join(f"""
      - targets: ["{server.metrics}"]
        labels: {{namespace: "{SPACE}", pod: "{pod}"}}""" for pod, server in servers.items())
    return f"""
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: ikstreamd
    static_configs:{targets}
"""


def registration(port):
    """Tells the cluster that the adapter on this machine serves custom metrics."""
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "adapter", "namespace": SPACE},
        "spec": {
            "type": "ExternalName",
            "externalName": "localhost",
            "ports": [{"port": port}],
        },
    }
    group, version = API.split(".", 1)[1], API.split(".")[0]
    api = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": API},
        "spec": {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": "adapter", "namespace": SPACE, "port": port},
        },
    }
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [service, api]})


class QueueWait(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if kubectl("get", "apiservices", API, "--ignore-not-found"):
            harness.skip(f"this cluster has {API} already")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cluster.make_space(cls)
        wait = "autoscaling.queueWait.enabled=true,autoscaling.maxReplicas=4"
        helm("install", cluster.CHART, "--set", wait)
        cls.addClassCleanup(cluster.uninstall)
        cls.servers = {}
        for pod in ready(2):
            server = harness.Server("--workers=1", "--log-level=warning")
            cls.addClassCleanup(server.stop)
            cls.servers[pod["metadata"]["name"]] = server
        cls.start_prometheus()
        cls.start_adapter()

    @classmethod
    def start_prometheus(cls):
        config = cls.folder / "prometheus.yml"
        config.write_text(scrape_config(cls.servers))
        cls.prometheus = f"127.0.0.1:{harness.free_port()}"
        process = harness.Process(
            harness.tool("prometheus"),
            f"--config.file={config}",
            f"--storage.tsdb.path={cls.folder}/data",
            f"--web.listen-address={cls.prometheus}",
        )
        cls.addClassCleanup(process.stop)
        ready_at = f"http://{cls.prometheus}/-/ready"
        process.wait_until("Prometheus", lambda: harness.fetch(ready_at))

    @classmethod
    def start_adapter(cls):
        pods_of = lambda space, selector: [
            pod["metadata"]["name"] for pod in objects("pods", "-l", selector)
        ]
        served = adapter.Adapter(cls.folder, f"http://{cls.prometheus}", pods_of)
        cls.adapter = cls.enterClassContext(served)
        kubectl("apply", "-f", "-", input=registration(served.port))
        cls.addClassCleanup(kubectl, "delete", "apiservice", API)
        kubectl("wait", "--for=condition=Available", f"apiservice/{API}", "--timeout=300s")

    def waits(self):
        """What the autoscaler reads, in seconds by pod."""
        selector = "app.kubernetes.io/component%3Dserver"
        path = f"/apis/{adapter.GROUP}/namespaces/{SPACE}/pods/*/{self.adapter.rule.metric}"
        items = json.loads(kubectl("get", "--raw", f"{path}?labelSelector={selector}"))["items"]
        return {
            item["describedObject"]["name"]: int(item["value"].rstrip("u")) / 1e6
            for item in items
        }

    def autoscaler(self):
        return objects("horizontalpodautoscalers")[0]

    def test_1_the_rule_names_the_metric_that_the_autoscaler_asks_for(self):
        asked = [m["pods"]["metric"]["name"] for m in self.autoscaler()["spec"]["metrics"][1:]]
        self.assertEqual(asked, [self.adapter.rule.metric])

    def test_2_a_replica_without_work_waits_no_time(self):
        harness.wait_until("both pods", lambda: set(self.waits()) == set(self.servers))
        self.assertEqual(set(self.waits().values()), {0.0})

    def test_3_a_wait_above_the_target_brings_replicas(self):
        message = self.folder / "message"
        message.write_bytes(work.solve(frames=64))
        load = work.Load()
        for server in self.servers.values():
            client = load.start(server.address, message, seconds=600, concurrency=24)
            self.addCleanup(client.stop)
        harness.wait_until(
            "a wait", lambda: min(self.waits()[pod] for pod in self.servers) > 0.02
        )
        harness.wait_until(
            "4 replicas wanted",
            lambda: self.autoscaler()["status"]["desiredReplicas"] == 4,
            300,
        )
        read = [
            m for m in self.autoscaler()["status"]["currentMetrics"] if m.get("type") == "Pods"
        ]
        self.assertTrue(read, "the autoscaler tells what it read")
        ready(4)


if __name__ == "__main__":
    harness.main()
