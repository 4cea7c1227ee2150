#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The service's image: its Dockerfile's promises, and, where images.py can build it or
IKSTREAM_IMAGE names one, a server that runs in it without rights on a read-only file system."""

import json
import os
import pathlib
import re
import unittest

import harness
import images

FILE = harness.ROOT / "deploy" / "Dockerfile"


class Dockerfile(unittest.TestCase):
    """What holds without building."""

    TEXT = FILE.read_text()
    LAST = TEXT[TEXT.rindex("\nFROM ") :]

    def test_runs_without_rights(self):
        user = re.search(r"^USER (\d+):(\d+)$", self.LAST, re.M)
        self.assertTrue(user and int(user[1]) > 0 and int(user[2]) > 0)

    def test_commands_are_in_exec_form(self):
        for instruction in ("ENTRYPOINT", "  CMD"):
            for words in re.findall(rf"^{instruction} +(.*)$", self.LAST, re.M):
                self.assertIsInstance(json.loads(words), list)

    def test_scripts_in_exec_form_are_well_formed(self):
        scripts = re.findall(r"^RUN (\[.*?\])$", self.TEXT.replace("\\\n", ""), re.M)
        self.assertEqual(len(scripts), 2)
        for words in map(json.loads, scripts):
            self.assertEqual(words[:2], ["bash", "-euc"])
            self.assertIn('pin_packages "$SNAPSHOT"', words[2])
            done = harness.run("bash", "-n", "-c", words[2])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_has_no_compiler(self):
        self.assertIn("install_packages run", self.LAST)
        self.assertNotIn("install_packages build", self.LAST)

    def test_serves_where_the_chart_looks(self):
        chart = harness.ROOT / "deploy" / "helm" / "ikstream" / "templates"
        user = re.search(r"^USER (\d+)", self.LAST, re.M)[1]
        self.assertIn(f"runAsUser: {user}", (chart / "_helpers.tpl").read_text())
        self.assertIn("/usr/share/ikstream/", self.LAST)
        self.assertIn("/usr/share/ikstream/ikstream.pb", (chart / "edge.yaml").read_text())
        for port in re.search(r"^EXPOSE (.*)$", self.LAST, re.M)[1].split():
            self.assertIn(f"containerPort: {port}", (chart / "deployment.yaml").read_text())


def listed(purpose):
    """The packages of deploy/packages for this purpose."""
    text = (harness.ROOT / "deploy" / "packages").read_text()
    return set(re.findall(rf"^{purpose} +(\S+)", text, re.M))


def with_dependencies(packages):
    """These packages and all that they bring."""
    found, open_ones = set(), set(packages)
    while open_ones:
        found |= open_ones
        words = ("dpkg-query", "-W", "-f", "${Depends}, ${Pre-Depends}, ")
        text = harness.run(*words, *sorted(open_ones)).stdout
        open_ones = set(re.findall(r"(?:^|[,|]) *([a-z0-9][a-z0-9+.-]+)", text)) - found
    return found


def libraries(program):
    """The shared libraries that a program names, as paths."""
    names = re.findall(r"NEEDED +(\S+)", harness.run("objdump", "-p", program).stdout)
    paths = dict(re.findall(r"(\S+) => (\S+)", harness.run("ldd", program).stdout))
    return {paths[name] for name in names if name in paths}


def owner(path):
    """The package that a file belongs to."""
    for name in (path, os.path.realpath(path), path.removeprefix("/usr"), f"/usr{path}"):
        done = harness.run("dpkg-query", "-S", name)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise AssertionError(f"{path} belongs to no package")


class Packages(unittest.TestCase):
    """What the image installs is what the programs link: no more, no less."""

    @classmethod
    def setUpClass(cls):
        release = pathlib.Path("/etc/os-release")
        if 'VERSION_ID="12"' not in (release.read_text() if release.exists() else ""):
            harness.skip("this is not Debian 12, whose packages deploy/packages names")
        for name in ("objdump", "dpkg-query"):
            harness.tool(name)
        programs = [harness.binary(name) for name in ("ikstreamd", "ikstream")]
        cls.owners = {owner(path) for program in programs for path in libraries(program)}

    def test_every_library_is_installed(self):
        self.assertEqual(self.owners - with_dependencies(listed("run")), set())

    def test_every_package_is_needed(self):
        self.assertEqual(listed("run") - self.owners, {"ca-certificates"})

    def test_the_dockerfile_installs_by_the_list_alone(self):
        text = FILE.read_text()
        self.assertEqual(set(re.findall(r"install_packages (\w+)", text)), {"build", "run"})
        self.assertNotRegex(text, r"apt(-get)? .*install")


class Built(images.Image):
    FILE = FILE
    VARIABLE = "IKSTREAM_IMAGE"
    TITLE = "ikstream"

    def test_carries_its_health_check(self):
        check = self.inspect()["Healthcheck"]["Test"]
        self.assertEqual(check, ["CMD", "/usr/bin/ikstreamd", "--healthcheck"])

    def test_serves_read_only_and_without_rights(self):
        port, metrics = harness.free_port(), harness.free_port()
        flags = (f"--listen=127.0.0.1:{port}", f"--metrics-listen=127.0.0.1:{metrics}")
        name = f"ikstream-test-{os.getpid()}"
        with harness.Process(
            *("podman", "run", "--name", name, *images.CONFINED),
            *("--network=host", self.tag, *flags),
        ) as server:
            server.wait_until(
                "ready", lambda: harness.fetch(f"http://127.0.0.1:{metrics}/readyz"), 120
            )
            listen = f"IKSTREAM_LISTEN=127.0.0.1:{port}"
            check = ("/usr/bin/ikstreamd", "--healthcheck")
            done = images.podman("exec", "--env", listen, name, *check)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_confined(name)
            images.podman("stop", "--time=30", name)
            self.assertEqual(server.wait(), 0)

    def test_holds_the_command_line(self):
        done = images.podman(
            *("run", *images.CONFINED, "--network=host"),
            *("--entrypoint", "ikstream", self.tag, "info"),
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    harness.main()
