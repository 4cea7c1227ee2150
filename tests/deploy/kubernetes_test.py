#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The chart on a cluster: install, scale, upgrade, drain a node, run a farm job, uninstall.

IKSTREAM_KUBECONFIG names the kubeconfig of a cluster that may be used so: nodes are cordoned
for a moment. It is not KUBECONFIG, so that no test meets a cluster by chance. All is done in
a namespace of the test's own, which is removed at the end."""

import json
import os
import unittest

import harness

CHART = harness.ROOT / "deploy" / "helm" / "ikstream"
SPACE = f"ikstream-test-{os.getpid()}"
SERVER = "app.kubernetes.io/component=server"


def setUpModule():
    global HELM, KUBECTL
    config = os.environ.get("IKSTREAM_KUBECONFIG")
    if not config:
        harness.skip("IKSTREAM_KUBECONFIG is not set: no cluster to try the chart on")
    os.environ["KUBECONFIG"] = config
    KUBECTL = harness.tool("kubectl", "KUBECTL")
    HELM = harness.go_tool("helm", "helm.sh/helm/v3/cmd/helm", "v3.22.0")


def kubectl(*words):
    done = harness.run(KUBECTL, "--namespace", SPACE, *words)
    if done.returncode:
        raise AssertionError(f"kubectl {' '.join(words)}: {done.stderr}")
    return done.stdout


def objects(kind, *words):
    return json.loads(kubectl("get", kind, "-o", "json", *words))["items"]


def helm(verb, *words):
    done = harness.run(
        HELM, verb, "farm", *words, "--namespace", SPACE, "--wait", "--timeout", "90s"
    )
    if done.returncode:
        raise AssertionError(f"helm {verb}: {done.stderr[-1000:]}")
    return done.stdout


def ready(count):
    """The ready server pods, once there are this many and no others."""

    def check():
        pods = objects("pods", "-l", SERVER)
        up = [
            p
            for p in pods
            if any(
                c["type"] == "Ready" and c["status"] == "True"
                for c in p["status"].get("conditions", [])
            )
        ]
        return up if len(up) == len(pods) == count else None

    return harness.wait_until(f"{count} replicas", check, 90)


class Cluster(unittest.TestCase):
    """In the order of a release's life."""

    @classmethod
    def setUpClass(cls):
        kubectl("create", "namespace", SPACE)
        cls.addClassCleanup(kubectl, "delete", "namespace", SPACE, "--wait=false")
        helm("install", CHART)
        cls.addClassCleanup(cls.uninstall)

    @classmethod
    def uninstall(cls):
        helm("uninstall")
        harness.wait_until("pods to go", lambda: not objects("pods"), 60)

    def test_1_autoscaler_brings_its_minimum(self):
        pods = ready(2)
        self.assertEqual(len({p["spec"]["nodeName"] for p in pods}), 2, "spread over nodes")

    def test_2_headless_service_lists_every_replica(self):
        pods = {p["status"]["podIP"] for p in ready(2)}
        slices = objects(
            "endpointslices", "-l", "kubernetes.io/service-name=farm-ikstream-headless"
        )
        listed = {a for s in slices for e in s["endpoints"] for a in e["addresses"]}
        self.assertEqual(listed, pods)

    def test_3_upgrade_scales_and_replaces_without_a_gap(self):
        before = {p["metadata"]["uid"] for p in ready(2)}
        helm("upgrade", CHART, "--set", "autoscaling.minReplicas=3,server.podAnnotations.a=b")
        after = {p["metadata"]["uid"] for p in ready(3)}
        self.assertFalse(before & after)
        spec = objects("deployments", "-l", SERVER)[0]["spec"]
        self.assertEqual(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0)

    def test_4_draining_a_node_moves_its_replicas(self):
        node = ready(3)[0]["spec"]["nodeName"]
        try:
            kubectl(
                "drain",
                node,
                "--pod-selector",
                SERVER,
                "--ignore-daemonsets",
                "--delete-emptydir-data",
                "--timeout=90s",
            )
            self.assertNotIn(node, {p["spec"]["nodeName"] for p in ready(3)})
        finally:
            kubectl("uncordon", node)

    def test_5_disruption_budget_holds(self):
        budget = objects("poddisruptionbudgets")[0]
        self.assertEqual(budget["spec"]["maxUnavailable"], 1)
        harness.wait_until(
            "the budget",
            lambda: objects("poddisruptionbudgets")[0]["status"]["disruptionsAllowed"] == 1,
        )

    def test_6_farm_job_gives_every_shard_a_pod(self):
        kubectl("create", "-f", str(harness.DATA / "clips-claim.yaml"))
        self.addClassCleanup(
            kubectl, "delete", "persistentvolume", "ikstream-test-clips", "--wait=false"
        )
        helm("upgrade", CHART, "--set", "job.enabled=true,job.shards=3,job.parallelism=3")
        pods = harness.wait_until("3 pods of the job", lambda: self.job_pods(3), 60)
        shards = {
            p["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
            for p in pods
        }
        self.assertEqual(shards, {"0", "1", "2"})
        for pod in pods:
            names = {e["name"] for e in pod["spec"]["containers"][0]["env"]}
            self.assertIn("JOB_COMPLETION_INDEX", names)

    @staticmethod
    def job_pods(count):
        pods = objects("pods", "-l", "app.kubernetes.io/component=farm")
        return pods if len(pods) == count else None


if __name__ == "__main__":
    harness.main()
