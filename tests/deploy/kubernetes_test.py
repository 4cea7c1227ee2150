#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The chart on a cluster: install, scale, upgrade, drain a node, run a farm job, uninstall.

See cluster.py for how it finds one."""

import json
import pathlib
import re
import shutil
import tempfile
import unittest

import cluster
import harness
from cluster import CHART, SERVER, helm, kubectl, objects, ready

FARM = "app.kubernetes.io/component=farm"


def setUpModule():
    cluster.connect()


def evict(pod):
    """As a drain does it: refused where the disruption budget would be broken."""
    name = {"name": pod, "namespace": cluster.SPACE}
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": name}
    path = f"/api/v1/namespaces/{cluster.SPACE}/pods/{pod}/eviction"
    kubectl("create", "--raw", path, "-f", "-", input=json.dumps(body))


def command_of(pod, clips, server):
    """What a pod of the farm job runs, as the kubelet would fill it in, with the volume and the
    service of this machine in place of the cluster's."""
    (container,) = pod["spec"]["containers"]
    mount = next(m["mountPath"] for m in container["volumeMounts"] if m["name"] == "clips")
    shard = pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
    assert "JOB_COMPLETION_INDEX" in {entry["name"] for entry in container["env"]}
    words = [word.replace("$(JOB_COMPLETION_INDEX)", shard) for word in container["args"]]
    words = [re.sub(rf"(^|=){mount}/", rf"\g<1>{clips}/", word) for word in words]
    words = [re.sub(r"^--server=dns:///\S+$", f"--server={server}", word) for word in words]
    return [harness.binary(*container["command"]), *words]


class Cluster(unittest.TestCase):
    """In the order of a release's life."""

    @classmethod
    def setUpClass(cls):
        cluster.make_space(cls)
        helm("install", CHART)
        cls.addClassCleanup(cluster.uninstall)

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
                "--timeout=300s",
            )
            self.assertNotIn(node, {p["spec"]["nodeName"] for p in ready(3)})
        finally:
            kubectl("uncordon", node)

    def test_5_disruption_budget_holds(self):
        self.assertEqual(len(objects("poddisruptionbudgets")), 2)  # server and edge
        budget = lambda: objects("poddisruptionbudgets", "-l", SERVER)[0]
        self.assertEqual(budget()["spec"]["maxUnavailable"], 1)
        harness.wait_until("the budget", lambda: budget()["status"]["disruptionsAllowed"] == 1)
        first, second = (pod["metadata"]["name"] for pod in ready(3)[:2])
        nodes = [node["metadata"]["name"] for node in objects("nodes")]
        try:
            kubectl("cordon", *nodes)  # nothing can take the first one's place
            evict(first)
            with self.assertRaisesRegex(AssertionError, "disruption budget"):
                evict(second)
        finally:
            kubectl("uncordon", *nodes)
        ready(3)

    def test_6_farm_job_gives_every_shard_a_pod(self):
        kubectl("create", "-f", str(harness.DATA / "clips-claim.yaml"))
        self.addClassCleanup(
            kubectl, "delete", "persistentvolume", "ikstream-test-clips", "--wait=false"
        )
        helm("upgrade", CHART, "--set", "job.enabled=true,job.shards=3,job.parallelism=3")
        pods = harness.wait_until("3 pods of the job", lambda: self.job_pods(3))
        shards = {
            p["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]
            for p in pods
        }
        self.assertEqual(shards, {"0", "1", "2"})
        self.run_shards(pods)
        harness.wait_until("the job's end", self.job_done)

    def test_7_viewer_comes_and_goes(self):
        viewer = "app.kubernetes.io/component=viewer"
        helm("upgrade", CHART, "--set", "viewer.enabled=true")
        pods = objects("pods", "-l", viewer)
        self.assertEqual([cluster.is_ready(pod) for pod in pods], [True, True])
        slices = objects(
            "endpointslices", "-l", "kubernetes.io/service-name=farm-ikstream-viewer"
        )
        listed = {a for s in slices for e in s["endpoints"] for a in e["addresses"]}
        self.assertEqual(listed, {pod["status"]["podIP"] for pod in pods})
        helm("upgrade", CHART, "--set", "viewer.enabled=false")
        harness.wait_until("no viewer", lambda: not objects("pods", "-l", viewer))

    @staticmethod
    def job_pods(count):
        pods = objects("pods", "-l", FARM)
        return pods if len(pods) == count else None

    @staticmethod
    def job_done():
        conditions = objects("jobs", "-l", FARM)[0]["status"].get("conditions", [])
        return any(c["type"] == "Complete" and c["status"] == "True" for c in conditions)

    def run_shards(self, pods):
        """Each pod's own command, here: together they clean every clip of the list, once."""
        server = harness.Server()
        self.addCleanup(server.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        clips = pathlib.Path(folder.name)
        sample = harness.ROOT / "tests" / "data" / "samples" / "walk_flat.bvh"
        names = [f"{number}.bvh" for number in range(7)]
        for name in names:
            shutil.copy(sample, clips / name)
        (clips / "list.txt").write_text("".join(f"{clips}/{name}\n" for name in names))
        made = []
        for pod in pods:
            done = harness.run(*command_of(pod, clips, server.address))
            self.assertEqual(done.returncode, 0, done.stderr)
            now = {path.name for path in (clips / "out").glob("*.bvh")}
            made.append(now - set().union(*made))
        self.assertEqual(sorted(name for part in made for name in part), names)
        self.assertTrue(all(made), "a shard without clips")


if __name__ == "__main__":
    harness.main()
