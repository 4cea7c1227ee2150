# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Stands for prometheus-adapter: serves the API of custom metrics from the one rule of
deploy/prometheus/adapter.yml, whose query it asks a real Prometheus."""

import datetime
import http.server
import json
import pathlib
import re
import ssl
import threading
import urllib.parse

import harness

GROUP = "custom.metrics.k8s.io/v1beta2"
FILE = harness.ROOT / "deploy" / "prometheus" / "adapter.yml"


class Rule:
    """Builds queries as the adapter's documentation says."""

    def __init__(self):
        (rule,) = harness.load_yaml(FILE.read_text())["rules"]["custom"]
        self._series = rule["seriesQuery"].split("{")[0]
        self._query = rule["metricsQuery"]
        name = rule["name"]
        self.metric = re.sub(name["matches"], name["as"].replace("${1}", r"\1"), self._series)
        overrides = rule["resources"]["overrides"]
        self._label = {entry["resource"]: label for label, entry in overrides.items()}

    def query(self, namespace, pods):
        """The wait of each of these pods."""
        pod, space = self._label["pod"], self._label["namespace"]
        matchers = f'{space}="{namespace}",{pod}=~"{"|".join(pods)}"'
        return (
            self._query.replace("<<.Series>>", self._series)
            .replace("<<.LabelMatchers>>", matchers)
            .replace("<<.GroupBy>>", pod)
        )


class Adapter:
    """The API on a free port over TLS, while used as a context."""

    def __init__(self, folder, prometheus, pods_of):
        """`pods_of` gives the names of a namespace's pods with a label selector."""
        self.rule, self._prometheus, self._pods_of = Rule(), prometheus, pods_of
        folder = pathlib.Path(folder)
        done = harness.run(
            harness.tool("openssl"),
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"),
            *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
            *("-keyout", folder / "key.pem", "-out", folder / "cert.pem"),
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        adapter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                answer = adapter.answer(urllib.parse.urlsplit(self.path))
                body = json.dumps(answer or {}).encode()
                self.send_response(200 if answer else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, url):
        if url.path == f"/apis/{GROUP}":
            resource = {
                "name": f"pods/{self.rule.metric}",
                "singularName": "",
                "verbs": ["get"],
            }
            resource |= {"namespaced": True, "kind": "MetricValueList"}
            return {
                "kind": "APIResourceList",
                "apiVersion": "v1",
                "groupVersion": GROUP,
                "resources": [resource],
            }
        found = re.fullmatch(
            rf"/apis/{GROUP}/namespaces/([^/]+)/pods/(?:\*|%2A)/{self.rule.metric}", url.path
        )
        if not found:
            return None
        selector = urllib.parse.parse_qs(url.query).get("labelSelector", [""])[0]
        return self._values(found[1], selector)

    def _values(self, namespace, selector):
        pods = self._pods_of(namespace, selector)
        query = urllib.parse.urlencode({"query": self.rule.query(namespace, pods)})
        text = harness.fetch(f"{self._prometheus}/api/v1/query?{query}")
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        items = [
            {
                "describedObject": {
                    "kind": "Pod",
                    "apiVersion": "/v1",
                    "namespace": namespace,
                    "name": result["metric"]["pod"],
                },
                "metric": {"name": self.rule.metric},
                "timestamp": now,
                "value": f"{round(float(result['value'][1]) * 1e6)}u",
            }
            for result in json.loads(text)["data"]["result"]
        ]
        return {"kind": "MetricValueList", "apiVersion": GROUP, "metadata": {}, "items": items}
