# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Runs the built programs as processes: what the tests of this folder share.

ctest tells where the programs are (IKSTREAM_BIN_DIR) and where the repository is
(IKSTREAM_SOURCE_DIR). Servers listen on free ports of the loopback interface.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = pathlib.Path(os.environ["IKSTREAM_BIN_DIR"])
SOURCE = pathlib.Path(os.environ["IKSTREAM_SOURCE_DIR"])
SAMPLES = SOURCE / "tests" / "data" / "samples"
TIMEOUT = 240  # seconds; sanitizers are slow


def environment():
    """Ours without settings of the person who runs the tests."""
    return {k: v for k, v in os.environ.items() if not k.startswith("IKSTREAM_")}


def start(*args, **kwargs):
    """Starts `ikstream` with these arguments."""
    command = [str(BIN / "ikstream"), *map(str, args)]
    return subprocess.Popen(
        command,
        env=environment(),
        stdin=kwargs.get("stdin", subprocess.DEVNULL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run(*args, data=None):
    """Runs `ikstream`; returns an object with code, out, err (text) and raw (bytes of out)."""
    process = start(*args, stdin=subprocess.PIPE)
    try:
        out, err = process.communicate(data, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Finished(process.returncode, out, err)


class Finished:
    """How a program ended."""

    def __init__(self, code, out, err):
        self.code = code
        self.raw = out
        self.out = out.decode(errors="replace")
        self.err = err.decode(errors="replace")

    def json(self):
        return json.loads(self.out)


class Server:
    """A running `ikstreamd`. Use it as a context."""

    def __init__(self, *args, port=0):
        self._args = args
        self._wanted_port = port
        self._folder = tempfile.TemporaryDirectory()
        self._process = None
        self.port = None

    def __enter__(self):
        ports = pathlib.Path(self._folder.name) / "ports"
        command = [
            str(BIN / "ikstreamd"),
            f"--listen=127.0.0.1:{self._wanted_port}",
            "--metrics-listen=127.0.0.1:0",
            f"--ports-file={ports}",
            "--log-level=warning",
            *map(str, self._args),
        ]
        self._process = subprocess.Popen(command, env=environment())
        end = time.monotonic() + 120
        while not ports.exists():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"ikstreamd did not start: {self._process.poll()}")
            time.sleep(0.02)
        told = dict(line.split("=") for line in ports.read_text().split())
        self.port = int(told["grpc_port"])
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self.terminate()
        self._folder.cleanup()

    @property
    def pid(self):
        return self._process.pid

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def terminate(self):
        """SIGTERM; waits for the drain; returns the exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=120)

    def kill(self):
        self._process.kill()
        self._process.wait(timeout=120)


class TestCase(unittest.TestCase):
    """A folder of its own, and checks of how a program ended."""

    maxDiff = 4000

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ok(self, *args, data=None):
        """Runs `ikstream`, which must succeed."""
        done = run(*args, data=data)
        self.assertEqual(done.code, 0, f"{args}\n{done.err}")
        return done

    def fails(self, code, *words, args, data=None):
        """Runs `ikstream`, which must end with this code and say these words."""
        done = run(*args, data=data)
        self.assertEqual(done.code, code, f"{args}\n{done.out}\n{done.err}")
        for word in words:
            self.assertIn(word, done.err)
        return done

    def files(self, below=None):
        """Every file below a folder, hidden ones included, as sorted relative paths."""
        root = self.folder if below is None else below
        return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())


def make_clips(folder, *args):
    """Generates sample clips with a known truth into the folder."""
    tool = SOURCE / "tests" / "data" / "make_clips.py"
    subprocess.run(
        [sys.executable, str(tool), str(folder), *map(str, args)],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def real_clips():
    """Real clips, where IKSTREAM_CLIPS names a folder of them; else none."""
    folder = os.environ.get("IKSTREAM_CLIPS", "")
    return sorted(pathlib.Path(folder).glob("*.bvh")) if folder else []
