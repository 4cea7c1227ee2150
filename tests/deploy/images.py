# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Images, really built by podman where it can run.

IKSTREAM_IMAGE_TEST=1 asks for it (minutes each). Where no registry can be reached,
IKSTREAM_BASE_IMAGE names a local Debian 12 image to build on, and IKSTREAM_BUILD_MOUNTS, by
commas, what to mount while building (such as certificates). A variable of each test names an
image to be tried as it is, without a build."""

import json
import os
import shutil
import unittest

import harness

LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
CONFINED = ("--rm", "--read-only", "--cap-drop=ALL", *LIMITS)


def podman(*words, **options):
    return harness.run("podman", *words, timeout=3400, **options)


def build(file, tag):
    """Builds the image of a Dockerfile from this source tree."""
    base = os.environ.get("IKSTREAM_BASE_IMAGE")
    more = ["--pull=never", f"--build-arg=DEBIAN={base}"] if base else []
    for name in ("SNAPSHOT", "ARCHIVE"):
        if os.environ.get(f"IKSTREAM_{name}"):
            more.append(f"--build-arg={name}={os.environ[f'IKSTREAM_{name}']}")
    for mount in filter(None, os.environ.get("IKSTREAM_BUILD_MOUNTS", "").split(",")):
        more.append(f"--volume={mount}")
    done = podman(
        *("build", "--format=docker", "--network=host", "--isolation=chroot"),
        *(*LIMITS, *more),
        *("--file", file, "--ignorefile", f"{file}.dockerignore", "--tag", tag),
        harness.ROOT,
    )
    if done.returncode:
        raise AssertionError(done.stdout[-3000:] + done.stderr[-3000:])


class Image(unittest.TestCase):
    """What holds of each image. FILE: its Dockerfile; VARIABLE: names one that is there; TITLE:
    its label."""

    FILE = VARIABLE = TITLE = None

    @classmethod
    def setUpClass(cls):
        given = os.environ.get(cls.VARIABLE)
        if not given and os.environ.get("IKSTREAM_IMAGE_TEST") != "1":
            harness.skip("IKSTREAM_IMAGE_TEST=1 is not set: no image is built")
        if not shutil.which("podman"):
            harness.skip("podman is not installed")
        cls.tag = given or f"localhost/{cls.TITLE}-test:{os.getpid()}"
        if not given:
            build(cls.FILE, cls.tag)
            cls.addClassCleanup(podman, "rmi", "--force", cls.tag)

    def inspect(self):
        return json.loads(podman("image", "inspect", self.tag).stdout)[0]

    def test_is_small(self):
        size = self.inspect()["Size"]
        print(f"{self.TITLE}: {size / 1e6:.0f} MB", flush=True)
        self.assertLess(size, 150e6)

    def test_carries_labels(self):
        labels = self.inspect()["Labels"]
        self.assertEqual(labels["org.opencontainers.image.title"], self.TITLE)
        self.assertEqual(labels["org.opencontainers.image.licenses"], "Apache-2.0")

    def assert_confined(self, container):
        """Without rights, and with nothing to write to beside /tmp."""
        self.assertEqual(podman("exec", container, "id", "-u").stdout.strip(), "10001")
        self.assertNotEqual(podman("exec", container, "touch", "/x").returncode, 0)
