#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""compose.yaml without a container engine: read, checked, and each service's command run as a
process, with its mounts and ports mapped to this machine's."""

import json
import os
import pathlib
import re
import signal
import tempfile
import unittest
import urllib.request

import edge
import harness

DEPLOY = harness.ROOT / "deploy"
FILE = DEPLOY / "compose.yaml"


def load():
    """The file with its anchors merged and its variables at their defaults."""
    return harness.load_yaml(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", FILE.read_text()))


def dockerfile(instruction, file="Dockerfile"):
    text = (DEPLOY / file).read_text().replace("\\\n", " ")
    return re.findall(rf"^{instruction} +(.*)$", text, re.M)[-1]


def setUpModule():
    global COMPOSE, SERVICES
    COMPOSE = load()
    SERVICES = COMPOSE["services"]


class Text(unittest.TestCase):
    def test_mounted_files_exist(self):
        for name, service in SERVICES.items():
            for mount in service.get("volumes", []):
                source = mount.split(":")[0]
                if source.startswith("."):
                    if source != "../out":  # made by whoever runs the clean-up
                        self.assertTrue((DEPLOY / source).exists(), f"{name}: {mount}")
                else:
                    self.assertIn(source, COMPOSE["volumes"], name)

    def test_services_are_confined(self):
        for name, service in SERVICES.items():
            if name != "descriptors":
                self.assertTrue(service["read_only"], name)
                self.assertEqual(service["cap_drop"], ["ALL"], name)

    def test_images_of_others_are_pinned(self):
        for name, service in SERVICES.items():
            image = service["image"]
            if not image.startswith(("ikstream:", "ikstream-viewer:")):
                self.assertRegex(image, r"^docker\.io/[\w/-]+:v?\d+\.\d+\.\d+$", name)

    def test_the_edge_finds_the_viewer(self):
        host, port = SERVICES["edge"]["environment"]["IKSTREAM_EDGE_VIEWER"].split(":")
        self.assertIn(port, SERVICES[host]["expose"])
        self.assertIn(f"listen {port};", (DEPLOY / "viewer" / "nginx.conf").read_text())

    def test_dependencies_exist(self):
        for service in SERVICES.values():
            for other in service.get("depends_on", []):
                self.assertIn(other, SERVICES)

    def test_server_may_drain_before_it_is_killed(self):
        server = SERVICES["server"]
        drain = sum(float(v) for k, v in server["environment"].items() if "DRAIN" in k)
        self.assertGreater(float(server["stop_grace_period"].rstrip("s")), drain)

    def test_the_edge_is_the_version_that_the_tests_use(self):
        self.assertTrue(SERVICES["edge"]["image"].endswith(f":v{edge.ENVOY_VERSION}"))


class Commands(unittest.TestCase):
    """Services as processes. Names and ports of containers become addresses of this machine."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.replicas = [
            cls.start_server() for _ in range(SERVICES["server"]["deploy"]["replicas"])
        ]

    @classmethod
    def start_server(cls):
        """The image's entry point and environment with the service's own."""
        environment = dict(re.findall(r"(\w+)=(\S+)", dockerfile("ENV")))
        environment.update(SERVICES["server"]["environment"])
        listen, metrics = (f"127.0.0.1:{harness.free_port()}" for _ in range(2))
        for name, port, mine in (("LISTEN", 50051, listen), ("METRICS_LISTEN", 9464, metrics)):
            assert environment[f"IKSTREAM_{name}"] == f"0.0.0.0:{port}"
            environment[f"IKSTREAM_{name}"] = mine
        (entry,) = json.loads(dockerfile("ENTRYPOINT"))
        process = harness.Process(
            harness.binary(pathlib.Path(entry).name), env={**os.environ, **environment}
        )
        cls.addClassCleanup(process.stop)
        process.wait_until("a replica", lambda: harness.fetch(f"http://{metrics}/readyz"))
        process.address, process.environment = listen, environment
        return process

    def addresses(self):
        return ",".join(replica.address for replica in self.replicas)

    def test_health_check_of_the_image(self):
        command = json.loads(re.search(r"CMD (\[.*\])", dockerfile("HEALTHCHECK"))[1])
        program = harness.binary(pathlib.Path(command[0]).name)
        environment = {**os.environ, **self.replicas[0].environment}
        done = harness.run(program, *command[1:], env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        environment["IKSTREAM_LISTEN"] = f"127.0.0.1:{harness.free_port()}"
        self.assertEqual(harness.run(program, *command[1:], env=environment).returncode, 1)

    def test_edge(self):
        service = SERVICES["edge"]
        listen, admin = (f"127.0.0.1:{harness.free_port()}" for _ in range(2))
        mapped = {
            "0.0.0.0:8080": listen,
            "0.0.0.0:9901": admin,
            "server:50051": self.addresses(),
            "viewer:8080": (files := f"127.0.0.1:{harness.free_port()}"),
            "/descriptors/ikstream.pb": str(harness.descriptors()),
        }
        environment = {name: mapped[value] for name, value in service["environment"].items()}
        shell, script = service["entrypoint"]
        script = DEPLOY / "envoy" / pathlib.Path(script).relative_to("/etc/ikstream-edge")
        environment = {**os.environ, **environment, "ENVOY": str(edge.envoy())}
        with harness.Process(shell, script, env=environment) as process, self.page(files):
            process.wait_until("the edge", lambda: harness.fetch(f"http://{listen}/v1/info"))
            self.assertEqual(harness.fetch(f"http://{listen}/index.html"), "a page")

    def page(self, address):
        """A file server with one page."""
        folder = pathlib.Path(self.folder.name, "page")
        folder.mkdir()
        (folder / "index.html").write_text("a page")
        host, port = address.split(":")
        files = harness.Process(
            *("python3", "-m", "http.server", "--bind", host, "--directory", folder, port)
        )
        files.wait_until("files", lambda: harness.fetch(f"http://{address}/"))
        return files

    def test_viewer(self):
        """nginx as the image runs it, in a folder that stands for its root."""
        program = harness.tool("nginx", "NGINX")
        listen = f"127.0.0.1:{harness.free_port()}"
        root = pathlib.Path(self.folder.name, "viewer")
        for path in ("tmp", "usr/share/ikstream-viewer/assets"):
            (root / path).mkdir(parents=True)
        files = root / "usr" / "share" / "ikstream-viewer"
        (files / "index.html").write_text("a page")
        (files / "assets" / "a-1.js").write_text("1")
        etc = pathlib.Path(program).resolve().parents[2] / "etc"
        text = (DEPLOY / "viewer" / "nginx.conf").read_text()
        for path in ("/tmp/", "/usr/share/"):
            text = text.replace(f" {path}", f" {root}{path}")
        text = text.replace("/etc/", f"{etc}/").replace("listen 8080", f"listen {listen}")
        (root / "nginx.conf").write_text(text)
        command = (
            program,
            "-e",
            "stderr",
            "-c",
            root / "nginx.conf",
            "-g",
            "daemon off; user root;",
        )
        with harness.Process(*command) as process:
            process.wait_until("nginx", lambda: harness.fetch(f"http://{listen}/"))
            self.answers(f"http://{listen}/", "no-cache", "html")
            self.answers(f"http://{listen}/assets/a-1.js", "max-age", "javascript")

    def answers(self, url, kept, kind):
        with urllib.request.urlopen(url, timeout=30) as answer:
            self.assertIn(kept, answer.headers["cache-control"])
            self.assertIn(kind, answer.headers["content-type"])
            self.assertEqual(answer.headers["x-content-type-options"], "nosniff")

    def test_prometheus(self):
        program = harness.tool("prometheus")
        listen = f"127.0.0.1:{harness.free_port()}"
        command = [
            word.replace("/etc/ikstream-prometheus", str(DEPLOY / "prometheus"))
            .replace("=/prometheus", f"={self.folder.name}/prometheus")
            .replace("0.0.0.0:9090", listen)
            for word in SERVICES["prometheus"]["command"]
        ]
        with harness.Process(program, *command) as process:
            process.wait_until("Prometheus", lambda: harness.fetch(f"http://{listen}/-/ready"))
            rules = harness.fetch(f"http://{listen}/api/v1/rules")
            self.assertIn("IkstreamTargetDown", rules)

    def test_clean(self):
        service = SERVICES["clean"]
        mapped = {}
        for mount in service["volumes"]:
            source, target = mount.split(":")[:2]
            mapped[target] = str(DEPLOY / source)
        mapped["/out"] = f"{self.folder.name}/out"
        command = service["entrypoint"] + service["command"]
        command[0] = harness.binary(command[0])
        for number, word in enumerate(command):
            for target, source in mapped.items():
                word = re.sub(rf"(^|=){target}$", rf"\g<1>{source}", word)
            command[number] = word.replace("dns:///server:50051", self.replicas[0].address)
        done = harness.run(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        clips = {p.name for p in pathlib.Path(mapped["/clips"]).glob("*.bvh")}
        self.assertTrue(clips)
        self.assertEqual({p.name for p in pathlib.Path(mapped["/out"]).glob("*.bvh")}, clips)

    def test_replica_ends_within_its_grace(self):
        replica = self.start_server()
        replica.signal(getattr(signal, dockerfile("STOPSIGNAL")))
        grace = float(SERVICES["server"]["stop_grace_period"].rstrip("s"))
        self.assertEqual(replica.wait(grace), 0)


if __name__ == "__main__":
    harness.main()
