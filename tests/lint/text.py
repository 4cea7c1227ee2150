#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Checks the text of source files: licence header, no notes to self, no giants.

usage: text.py ROOT      prints file:line of each offence; exit code 1 if any
"""

import pathlib
import re
import sys

import sources

MAX_LINES = 400
_HEADER = ("SPDX-License-Identifier: Apache-2.0", "Copyright The ikstream authors")
# Spelt apart, so that this file passes its own check.
_NOTE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")


def check_text(path, text):
    """The faults of one file, each as file:line: words. A protocol file may be long: what
    belongs together there is mostly comments."""
    lines = text.splitlines()
    faults = []
    for needed in _HEADER:
        if not any(needed in line for line in lines[:4]):
            faults.append(f"{path}:1: lacks the header line '{needed}'")
    for number, line in enumerate(lines, 1):
        if _NOTE.search(line):
            faults.append(f"{path}:{number}: do it or file it: {line.strip()}")
    if len(lines) > MAX_LINES and not str(path).endswith(".proto"):
        faults.append(
            f"{path}:{MAX_LINES}: {len(lines)} lines; split what has over {MAX_LINES}"
        )
    return faults


def check(root):
    """All faults below root."""
    root = pathlib.Path(root)
    faults = []
    for path in sources.source(root):
        faults += check_text(path, (root / path).read_text(encoding="utf-8"))
    return faults


def main():
    faults = check(sys.argv[1])
    print("\n".join(faults) or "headers are there, no note is left")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
