# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The viewer's page, as a browser drives it."""

import harness

WEB = harness.ROOT / "client" / "web"


def build():
    """Builds the viewer as deploy/run does; skips where npm cannot install its packages."""
    harness.tool("npm")
    done = harness.run(harness.ROOT / "deploy" / "viewer" / "build", timeout=500)
    if done.returncode and not (WEB / "node_modules" / ".installed").exists():
        harness.skip(f"npm could not install the viewer's packages: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stdout + done.stderr


def drive(address):
    """The whole page in Chromium; the last picture stays in the build folder as viewer.png."""
    chromium = harness.tool("chromium", "CHROMIUM")
    picture = harness.BUILD / "viewer.png"
    script = WEB / "tests" / "page.mjs"
    done = harness.run("node", script, f"http://{address}/", chromium, picture, timeout=240)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
