#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The job files on their engines: every clip of a list is cleaned exactly once, whatever
splits the list."""

import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

import harness

FARM = harness.ROOT / "deploy" / "farm"
COPIES = 5


class Clips(unittest.TestCase):
    """A list of a few clips in a folder of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        sample = sorted((harness.ROOT / "tests" / "data" / "samples").glob("*.bvh"))[0]
        self.clips = [self.folder / "in" / f"{n} clip.bvh" for n in range(COPIES)]
        self.clips[0].parent.mkdir()
        for clip in self.clips:
            shutil.copy(sample, clip)
        self.list = self.folder / "list.txt"
        self.list.write_text("".join(f"{clip}\n" for clip in self.clips))
        self.out = self.folder / "out"
        self.out.mkdir()

    def stamps(self):
        return {p.name: p.stat().st_mtime_ns for p in self.out.rglob("*.bvh")}

    def assert_only_what_is_missing_is_done(self, again):
        """`again` runs the job a second time, after one clip got lost."""
        before = self.stamps()
        lost = self.clips[1].name
        (self.out / lost).unlink()
        done = again()
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assert_all_clean()
        after = self.stamps()
        self.assertEqual({name for name in before if before[name] != after[name]}, {lost})

    def assert_all_clean(self, but=()):
        for suffix in (".bvh", ".report.json"):
            done = {p.name for p in self.out.rglob(f"*{suffix}")}
            self.assertEqual(
                done, {clip.stem + suffix for clip in self.clips if clip not in but}
            )

    def assert_one_bad_clip_stops_no_other(self, job):
        """`job` returns its result and what its tasks said."""
        bad = self.clips[1]
        bad.write_text("no clip\n")
        done, said = job()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"failed: {bad}", said)
        self.assert_all_clean(but=[bad])


class OpenJobDescription(Clips):
    TEMPLATE = FARM / "openjd" / "clean.yaml"

    def setUp(self):
        super().setUp()
        self.openjd = harness.python_env("openjd", "openjd-cli==0.8.0") / "openjd"

    def run_job(self, *parameters):
        words = [word for p in parameters for word in ("-p", p)]
        return harness.run(
            *(self.openjd, "run", self.TEMPLATE, "--step", "Clean", *words),
            *("-p", f"Program={harness.binary('ikstream')}", "-p", f"Out={self.out}"),
        )

    def test_template_is_valid(self):
        done = harness.run(self.openjd, "check", self.TEMPLATE)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_in_process(self):
        run = lambda: self.run_job(f"List={self.list}", "LastShard=2")
        done = run()
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assert_all_clean()
        self.assert_only_what_is_missing_is_done(run)

    def test_through_a_server(self):
        server = harness.Server()
        self.addCleanup(server.stop)
        done = self.run_job(f"List={self.list}", "LastShard=1", f"Server={server.address}")
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assert_all_clean()
        metrics = harness.fetch(f"http://{server.metrics}/metrics")
        self.assertRegex(metrics, r'handled_total\{.*"OK".*SolveStream.* [1-9]')

    def test_a_failing_clip_fails_its_task(self):
        def job():
            done = self.run_job(f"List={self.list}", "LastShard=0")
            return done, done.stdout

        self.assert_one_bad_clip_stops_no_other(job)


SLURM_CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n.spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
{nodes}
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(Clips):
    """A controller and two nodes on this machine, all ended by their own ids."""

    def setUp(self):
        super().setUp()
        for name in ("slurmctld", "slurmd", "sbatch", "munged"):
            if not shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin"):
                self.skipTest(f"{name} is not installed")
        if subprocess.run(["id", "-u"], capture_output=True, check=True).stdout != b"0\n":
            self.skipTest("slurmd needs root")
        self.state = self.folder / "slurm"
        self.state.mkdir(mode=0o755)
        self.folder.chmod(0o755)
        self.start_munge()
        self.conf = self.write_conf()
        self.env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": str(self.conf)}
        self.start("slurmctld", "-D", "-c", "-f", self.conf)
        for node in ("n1", "n2"):
            self.start("slurmd", "-D", "-N", node, "-f", self.conf)
        harness.wait_until("two idle nodes", self.idle)

    def start(self, *command):
        process = harness.Process(*command, env=getattr(self, "env", None))
        self.addCleanup(process.stop)
        return process

    def start_munge(self):
        key = self.state / "munge.key"
        key.write_bytes(b"a key for this test and no other" * 4)
        key.chmod(0o600)
        self.start(
            *("/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}"),
            *(f"--socket={self.state}/munge.socket", f"--pid-file={self.state}/munge.pid"),
            *(f"--log-file={self.state}/munge.log", f"--seed-file={self.state}/munge.seed"),
        )
        harness.wait_until("munge", (self.state / "munge.socket").exists)

    def write_conf(self):
        host = socket.gethostname()
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 "
            f"Port={harness.free_port()} CPUs=2 RealMemory=1024"
            for name in ("n1", "n2")
        )
        conf = self.state / "slurm.conf"
        conf.write_text(
            SLURM_CONF.format(
                host=host, folder=self.state, port=harness.free_port(), nodes=nodes
            )
        )
        return conf

    def idle(self):
        done = harness.run("sinfo", "--noheader", "--format=%D %t", env=self.env)
        return done.stdout.strip() == "2 idle"

    def submit(self, array, *more):
        return harness.run(
            *("sbatch", "--wait", f"--array={array}", f"--chdir={self.folder}", *more),
            *(FARM / "slurm" / "clean.sbatch", self.list, self.out),
            env={**self.env, "IKSTREAM": harness.binary("ikstream")},
        )

    def logs(self):
        return "".join(p.read_text() for p in self.folder.glob("ikstream-*.log"))

    def test_array(self):
        done = self.submit("0-2")
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        self.assert_all_clean()
        self.assert_only_what_is_missing_is_done(lambda: self.submit("0-2"))

    def test_array_that_starts_elsewhere_and_steps(self):
        done = self.submit("4-8:2")
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        self.assert_all_clean()

    def test_a_failing_clip_fails_its_task(self):
        self.assert_one_bad_clip_stops_no_other(lambda: (self.submit("0-1"), self.logs()))


if __name__ == "__main__":
    harness.main()
