#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The chart: linted, rendered with its switches on and off, checked against Kubernetes'
schemas; bad values are refused with a sentence."""

import json
import re
import tempfile
import unittest

import harness

CHART = harness.ROOT / "deploy" / "helm" / "ikstream"
EVERYTHING = (
    "job.enabled=true,serviceMonitor.enabled=true,prometheusRule.enabled=true,"
    "dashboards.enabled=true,viewer.enabled=true,tls.secretName=server-tls,edge.tlsSecretName=edge-tls,"
    "autoscaling.queueWait.enabled=true,networkPolicy.from[0].podSelector.matchLabels.a=b,"
    "image.pullSecrets[0].name=registry,server.args[0]=--log-level=debug"
)
NOTHING = (
    "autoscaling.enabled=false,podDisruptionBudget.enabled=false,networkPolicy.enabled=false,"
    "serviceAccount.create=false,edge.enabled=false"
)


def setUpModule():
    global HELM
    HELM = harness.go_tool("helm", "helm.sh/helm/v3/cmd/helm", "v3.22.0")


def template(values=""):
    more = ["--set", values] if values else []
    return harness.run(
        HELM, "template", "farm", CHART, "--namespace", "ik", "--kube-version", "1.34.0", *more
    )


class Chart(unittest.TestCase):
    def rendered(self, values=""):
        done = template(values)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout

    def refused(self, values, words):
        done = template(values)
        self.assertNotEqual(done.returncode, 0, values)
        self.assertIn(words, done.stderr)

    def test_lint(self):
        done = harness.run(HELM, "lint", "--strict", CHART)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_schemas(self):
        check = harness.python_env("kubernetes", "kubernetes-validate==1.37.0")
        for values in ("", EVERYTHING, NOTHING):
            with self.subTest(values), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                file.write(self.rendered(values))
                file.flush()
                done = harness.run(
                    check / "kubernetes-validate",
                    "--strict",
                    "--no-warn",
                    "-k",
                    "1.34",
                    file.name,
                )
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rendered_rules_pass_promtool(self):
        text = self.rendered("prometheusRule.enabled=true")
        (rule,) = [part for part in text.split("\n---\n") if "kind: PrometheusRule" in part]
        groups = harness.load_yaml(rule)["spec"]["groups"]
        self.assertGreater(len(groups), 3)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump({"groups": groups}, file)  # JSON is YAML
            file.flush()
            done = harness.run(harness.tool("promtool"), "check", "rules", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_probes_follow_tls(self):
        plain, tls = self.rendered(), self.rendered("tls.secretName=t")
        self.assertIn(
            "readinessProbe: {grpc: {port: 50051, service: ikstream.v1.IkService}", plain
        )
        self.assertIn("readinessProbe: {httpGet: {path: /readyz, port: metrics}", tls)
        self.assertNotIn("{grpc: {port", tls)

    def test_pods_are_confined(self):
        text = self.rendered(EVERYTHING)
        containers = text.count("image: ikstream") + text.count("image: docker.io/")
        self.assertEqual(containers, 6)  # server, descriptors, envoy, nginx, clean, health
        for wanted in (
            "readOnlyRootFilesystem: true",
            "allowPrivilegeEscalation: false",
            "capabilities: {drop: [ALL]}",
        ):
            self.assertEqual(text.count(wanted), containers, wanted)

    def test_farm_job_hands_each_pod_its_shard(self):
        text = self.rendered("job.enabled=true,job.shards=12")
        self.assertIn("completionMode: Indexed", text)
        self.assertIn("completions: 12", text)
        self.assertIn("--shard=$(JOB_COMPLETION_INDEX)/12", text)

    def test_the_edge_runs_the_one_configuration(self):
        text = self.rendered()
        for line in (CHART / "files" / "envoy.yaml").read_text().splitlines():
            self.assertIn(line, text)

    def test_the_viewer_stands_behind_the_edge(self):
        self.assertNotIn("farm-ikstream-viewer", self.rendered())
        text = self.rendered("viewer.enabled=true")
        self.assertIn('{name: IKSTREAM_EDGE_VIEWER, value: "farm-ikstream-viewer:8080"}', text)
        objects = {
            part["kind"]: part
            for part in map(harness.load_yaml, re.split(r"^---$", text, flags=re.M))
            if part and part["metadata"]["name"] == "farm-ikstream-viewer"
        }
        kinds = {"Deployment", "Service", "NetworkPolicy", "PodDisruptionBudget"}
        self.assertEqual(set(objects), kinds)
        (caller,) = objects["NetworkPolicy"]["spec"]["ingress"][0]["from"]
        labels = caller["podSelector"]["matchLabels"]
        self.assertEqual(labels["app.kubernetes.io/component"], "edge")
        self.assertEqual(objects["Service"]["spec"]["ports"][0]["port"], 8080)
        pod = objects["Deployment"]["spec"]["template"]["spec"]
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        (container,) = pod["containers"]
        self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
        # nginx.conf writes there alone.
        self.assertEqual([m["mountPath"] for m in container["volumeMounts"]], ["/tmp"])

    def test_nothing_but_the_server_where_all_is_off(self):
        kinds = {
            line for line in self.rendered(NOTHING).splitlines() if line.startswith("kind:")
        }
        self.assertEqual(kinds, {"kind: Deployment", "kind: Service", "kind: Pod"})

    def test_bad_values_are_refused(self):
        self.refused("server.terminationGracePeriodSeconds=10", "must exceed drainPropagation")
        self.refused(
            "autoscaling.minReplicas=20", "autoscaling.minReplicas (20) must not exceed"
        )
        self.refused("server.resources.requests.cpu=null", "server.resources.requests.cpu")
        self.refused("job.enabled=true,job.output=/out", "job.output (/out) must lie inside")
        self.refused("edge.origins=it's", "/edge/origins")
        self.refused("edge.service.port=70000", "/edge/service/port")
        self.refused("viewer.enabled=true,edge.enabled=false", "viewer.enabled needs edge")
        self.refused("viewer.image.repository=", "/viewer/image/repository")
        self.refused("edge.maxCalls=0", "/edge/maxCalls")
        self.refused("replica=3", "replica")
        self.refused("server.args[0]=debug", "/server/args/0")
        self.refused("autoscaling.targetCpuPercent=0", "/autoscaling/targetCpuPercent")


if __name__ == "__main__":
    harness.main()
