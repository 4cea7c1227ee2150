# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""What the deployment tests share: programs as processes, free ports, tools, skipping."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("IKSTREAM_BUILD", ROOT / "build"))
DATA = pathlib.Path(__file__).resolve().parent / "data"
SKIPPED = 77
PATIENCE = 120  # seconds for what takes a moment, on a machine that others load too


def main():
    """unittest's main that tells ctest when nothing ran."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    skipped_setup = result.testsRun == 0 and result.skipped
    sys.exit(SKIPPED if skipped_setup or len(result.skipped) == result.testsRun else 0)


def skip(words):
    raise unittest.SkipTest(words)


def binary(name):
    """A program of ours in the build folder."""
    path = BUILD / "bin" / name
    if not path.exists():
        skip(f"{path} is not built")
    return str(path)


def tool(name, variable=None):
    """A program of others: from a variable, the PATH or build/tools/bin; skips without it."""
    given = os.environ.get(variable) if variable else None
    search = os.pathsep.join([os.environ["PATH"], str(BUILD / "tools" / "bin")])
    found = given or shutil.which(name, path=search)
    if not found:
        skip(f"{name} is not installed")
    return found


def go_tool(name, module, version):
    """A program that Go builds from its module, kept in build/tools/bin; skips without Go."""
    target = BUILD / "tools" / "bin" / name
    if target.exists():
        return str(target)
    if shutil.which(name):
        return shutil.which(name)
    if not shutil.which("go"):
        skip(f"neither {name} nor go is installed")
    env = dict(os.environ, GOBIN=str(target.parent))
    done = subprocess.run(
        ["go", "install", f"{module}@{version}"],
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        skip(f"go could not install {module}: {done.stdout[-300:]}")
    return str(target)


def python_env(name, *requirements):
    """The bin folder of a Python environment with these packages; skips without a network."""
    script = 'root=$1; . "$root/deploy/lib.sh"; shift; python_env "$@"'
    done = subprocess.run(
        ["bash", "-c", script, "harness", str(ROOT), name, *requirements],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        skip(f"could not install {' '.join(requirements)}: {done.stderr[-300:]}")
    return pathlib.Path(done.stdout.strip()) / "bin"


def load_yaml(text):
    """The text as Python knows JSON, anchors merged."""
    python = python_env("yaml", "PyYAML==6.0.2") / "python"
    convert = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    done = run(python, "-c", convert, input=text)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def run(*command, timeout=300, **options):
    """Runs to the end; the result holds text. Past the time-out all that it started ends."""
    words = [str(word) for word in command]
    text = options.pop("input", None)
    pipe = subprocess.PIPE
    options = {"stdin": pipe if text else subprocess.DEVNULL, **options}
    with subprocess.Popen(
        words, text=True, stdout=pipe, stderr=pipe, start_new_session=True, **options
    ) as process:
        try:
            out, error = process.communicate(text, timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(words, process.returncode, out, error)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, condition, seconds=PATIENCE, every=0.1):
    """Asks again and again; what condition returns once it is true."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(every)


def fetch(url):
    """The body of a URL, or None while nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read().decode()
    except OSError:
        return None


class Process:
    """A program in the background, its words in a file, ended by its own id."""

    def __init__(self, *command, **options):
        self.log = tempfile.NamedTemporaryFile(prefix="ikstream-test-", suffix=".log")
        self._popen = subprocess.Popen(
            [str(word) for word in command],
            stdout=self.log,
            stderr=subprocess.STDOUT,
            **options,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def pid(self):
        return self._popen.pid

    def words(self):
        return pathlib.Path(self.log.name).read_text(encoding="utf-8", errors="replace")

    def alive(self):
        return self._popen.poll() is None

    def wait_until(self, what, condition, seconds=PATIENCE):
        def check():
            if not self.alive():
                raise AssertionError(f"{what}: the program ended:\n{self.words()[-2000:]}")
            return condition()

        return wait_until(what, check, seconds)

    def wait(self, seconds=PATIENCE):
        """The exit code."""
        return self._popen.wait(seconds)

    def signal(self, number):
        self._popen.send_signal(number)

    def stop(self, seconds=15):
        if self.alive():
            self.signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(seconds)
        if self.alive():
            self._popen.kill()
            self._popen.wait()
        self.log.close()


class Server(Process):
    """ikstreamd on free ports, or on those of another one that is gone; ready once made."""

    def __init__(self, *flags, host="127.0.0.1", port=None, like=None):
        self.address = like.address if like else f"{host}:{port or free_port()}"
        self.metrics = like.metrics if like else f"{host}:{free_port()}"
        super().__init__(
            binary("ikstreamd"),
            f"--listen={self.address}",
            f"--metrics-listen={self.metrics}",
            *flags,
        )
        try:
            self.wait_until("ikstreamd", lambda: fetch(f"http://{self.metrics}/readyz"))
        except AssertionError:
            self.stop()
            raise


def protoc(direction, message, data):
    """Text to bytes (encode) or bytes to text (decode) by the protocol's own compiler."""
    done = subprocess.run(
        ["protoc", f"--{direction}={message}", f"--descriptor_set_in={descriptors()}"],
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout


def descriptors():
    path = BUILD / "proto" / "gen" / "ikstream.pb"
    if not path.exists():
        skip(f"{path} is not built")
    return path
