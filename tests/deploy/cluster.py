# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A cluster to try the chart on.

IKSTREAM_KUBECONFIG names the kubeconfig of one that may be used so: nodes are cordoned for a
moment. It is not KUBECONFIG, so that no test meets a cluster by chance. All is done in a
namespace of the test's own, which is removed at the end."""

import json
import os

import harness

CHART = harness.ROOT / "deploy" / "helm" / "ikstream"
SPACE = f"ikstream-test-{os.getpid()}"
SERVER = "app.kubernetes.io/component=server"


def connect():
    """Finds cluster and programs, or skips."""
    global HELM, KUBECTL
    config = os.environ.get("IKSTREAM_KUBECONFIG")
    if not config:
        harness.skip("IKSTREAM_KUBECONFIG is not set: no cluster to try the chart on")
    os.environ["KUBECONFIG"] = config
    KUBECTL = harness.tool("kubectl", "KUBECTL")
    HELM = harness.go_tool("helm", "helm.sh/helm/v3/cmd/helm", "v3.22.0")


def make_space(test_class):
    kubectl("create", "namespace", SPACE)
    test_class.addClassCleanup(kubectl, "delete", "namespace", SPACE, "--wait=false")


def kubectl(*words, **options):
    done = harness.run(KUBECTL, "--namespace", SPACE, *words, **options)
    if done.returncode:
        raise AssertionError(f"kubectl {' '.join(words)}: {done.stderr}")
    return done.stdout


def objects(kind, *words):
    return json.loads(kubectl("get", kind, "-o", "json", *words))["items"]


def helm(verb, *words):
    done = harness.run(
        HELM, verb, "farm", *words, "--namespace", SPACE, "--wait", "--timeout", "300s"
    )
    if done.returncode:
        raise AssertionError(f"helm {verb}: {done.stderr[-1000:]}")
    return done.stdout


def uninstall():
    helm("uninstall")
    harness.wait_until("pods to go", lambda: not objects("pods"), 300)


def is_ready(pod):
    conditions = pod["status"].get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def ready(count):
    """The ready server pods, once there are this many and no others."""

    def check():
        pods = objects("pods", "-l", SERVER)
        up = [pod for pod in pods if is_ready(pod)]
        return up if len(up) == len(pods) == count else None

    return harness.wait_until(f"{count} replicas", check, 300)
