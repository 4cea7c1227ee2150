#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Images of a date: the package sources that deploy/lib.sh writes, and apt that reads them."""

import functools
import hashlib
import http.server
import os
import pathlib
import shutil
import tempfile
import threading
import unittest

import harness


class Snapshot(unittest.TestCase):
    """Packages as they were on a date."""

    DATE = "20240601T000000Z"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "etc", "apt")
        (self.folder / "sources.list.d").mkdir(parents=True)
        (self.folder / "sources.list.d" / "debian.sources").touch()

    def pin(self, date, archive=""):
        script = 'root=$1; . "$root/deploy/lib.sh"; pin_packages "$2" "$3"'
        words = ("bash", "-euc", script, "test", harness.ROOT, date, self.folder)
        return harness.run(*words, env={**os.environ, "ARCHIVE": archive})

    def lines(self):
        return (self.folder / "sources.list").read_text().splitlines()

    def test_packages_can_be_pinned_to_a_date(self):
        self.assertEqual(self.pin(self.DATE).returncode, 0)
        self.assertEqual(len(self.lines()), 3)
        for line in self.lines():
            self.assertIn("] http://snapshot.debian.org/archive/debian", line)
            self.assertIn(f"/{self.DATE} bookworm", line)
        self.assertFalse(list((self.folder / "sources.list.d").iterdir()))

    def test_no_date_changes_nothing_and_a_bad_one_is_refused(self):
        self.assertEqual(self.pin("").returncode, 0)
        done = self.pin("yesterday")
        self.assertEqual(done.returncode, 1)
        self.assertIn("yesterday", done.stderr)
        self.assertFalse((self.folder / "sources.list").exists())
        self.assertTrue((self.folder / "sources.list.d" / "debian.sources").exists())

    def test_apt_takes_what_the_archive_has(self):
        """A stand-in with the archive's layout, and the real apt."""
        if not shutil.which("apt-get"):
            harness.skip("this is no Debian")
        root = self.folder.parents[1]
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (root / folder).mkdir(parents=True)
        for folder in ("debian", "debian-security"):
            for suite in ("bookworm", "bookworm-updates", "bookworm-security"):
                self.publish(root / "archive" / folder / self.DATE / "dists" / suite)
        handler = functools.partial(Quiet, directory=root)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            self.addCleanup(server.shutdown)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            archive = f"http://127.0.0.1:{server.server_port}/archive"
            self.assertEqual(self.pin(self.DATE, archive).returncode, 0)
            done = self.apt("apt-get", "update", root)
            self.assertEqual(done.returncode, 0, done.stderr)
        done = self.apt("apt-cache", "policy", root, "ikstream-stand-in")
        self.assertIn(f"{archive}/debian/{self.DATE} bookworm/main", done.stdout)

    def publish(self, suite):
        """A suite of one package, without a signature."""
        entry = "Package: ikstream-stand-in\nVersion: 1.0\nArchitecture: all\n"
        entry += f"Filename: none.deb\nSize: 1\nSHA256: {'0' * 64}\n"
        sums = ""
        for folder in ("binary-all", "binary-amd64"):
            packages = suite / "main" / folder / "Packages"
            packages.parent.mkdir(parents=True)
            packages.write_text(entry)
            digest = hashlib.sha256(entry.encode()).hexdigest()
            sums += f" {digest} {len(entry)} {packages.relative_to(suite)}\n"
        (suite / "Release").write_text(
            f"Suite: {suite.name}\nCodename: {suite.name}\nArchitectures: all amd64\n"
            f"Components: main\nDate: Sat, 01 Jun 2024 00:00:00 UTC\nSHA256:\n{sums}"
        )

    def apt(self, program, verb, root, *words):
        options = {
            "Dir::Etc": self.folder,
            "Dir::State": root / "state",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": root / "cache",
            "APT::Sandbox::User": "root",
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "Acquire::AllowInsecureRepositories": "true",
            "Acquire::Languages": "none",
            "Acquire::http::Proxy": "DIRECT",
        }
        flags = [word for item in options.items() for word in ("-o", "%s=%s" % item)]
        return harness.run(program, *flags, verb, *words)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == "__main__":
    harness.main()
