# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A control group that caps the CPU of processes, and gives them that much before others; skips
where none may be made. Version 1 where that has the CPU controller, else version 2."""

import pathlib
import time

import harness

ROOT = pathlib.Path("/sys/fs/cgroup")
PERIOD = 20_000  # microseconds: short, so that a capped server does not answer in bursts


class Group:
    def __init__(self, name, cores):
        quota = int(cores * PERIOD)
        old = (ROOT / "cpu" / "cpu.cfs_quota_us").exists()
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
