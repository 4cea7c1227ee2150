# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A control group that puts processes before others on the CPU and may cap their use of it; skips
where none may be made. Version 1 where that has the CPU controller, else version 2."""

import os
import pathlib
import time

import harness

ROOT = pathlib.Path("/sys/fs/cgroup")
PERIOD = 20_000  # microseconds: short, so that a capped server does not answer in bursts


def home_of_this_process(old):
    """The group it is in, as a path below the root of the controller."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if ("cpu" in controllers.split(",")) if old else not controllers:
            return path.lstrip("/")
    return ""


class Group:
    def __init__(self, name, cores=None):
        old = (ROOT / "cpu" / "cpu.cfs_quota_us").exists()
        quota = int(cores * PERIOD) if cores else (-1 if old else "max")
        self._path = (ROOT / "cpu" if old else ROOT) / name
        try:
            if not old:
                (ROOT / "cgroup.subtree_control").write_text("+cpu")
            self._path.mkdir()
        except OSError as error:
            harness.skip(f"no control group can be made to cap a replica's CPU: {error}")
        try:
            if old:
                (self._path / "cpu.cfs_period_us").write_text(str(PERIOD))
                (self._path / "cpu.cfs_quota_us").write_text(str(quota))
                (self._path / "cpu.shares").write_text("10240")
            else:
                (self._path / "cpu.max").write_text(f"{quota} {PERIOD}")
                (self._path / "cpu.weight").write_text("1000")
        except OSError as error:
            self.remove()
            harness.skip(f"a replica's CPU cannot be capped: {error}")

    def add(self, pid):
        (self._path / "cgroup.procs").write_text(str(pid))

    def enter(self):
        """This process, and so what it starts from now on; returns how to leave again."""
        home = self._path.parent / home_of_this_process(self._path.parent.name == "cpu")
        self.add(os.getpid())
        return lambda: (home / "cgroup.procs").write_text(str(os.getpid()))

    def throttled(self):
        """How many periods the cap ended early."""
        lines = (self._path / "cpu.stat").read_text().splitlines()
        return int(dict(line.split() for line in lines)["nr_throttled"])

    def remove(self):
        """Once its processes are gone."""
        for _ in range(50):
            try:
                self._path.rmdir()
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)
