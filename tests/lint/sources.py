# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The files of the source tree that the checks look at."""

import os
import pathlib

_TOP = ("client", "cmake", "deploy", "proto", "server", "tests", ".ci")
_SKIP = {"node_modules", "__pycache__", "samples", "corpus", "dist", "gen"}
_KINDS = {
    ".bzl",
    ".cc",
    ".cmake",
    ".def",
    ".h",
    ".js",
    ".mjs",
    ".proto",
    ".py",
    ".sh",
    ".ts",
    ".tsx",
}
_NAMES = {"CMakeLists.txt", "Dockerfile"}


def walk(root):
    """Every file of our folders, as paths relative to root, in a fixed order."""
    root = pathlib.Path(root)
    found = [path.relative_to(root) for path in root.glob("*") if path.is_file()]
    for top in _TOP:
        for folder, folders, names in os.walk(root / top):
            folders[:] = sorted(set(folders) - _SKIP)
            found += [(pathlib.Path(folder) / name).relative_to(root) for name in names]
    return sorted(found)


def cpp(root):
    """Our C++ files."""
    return [path for path in walk(root) if path.suffix in (".cc", ".h")]


def source(root):
    """Files that a person writes and reads as source: code, build files and scripts."""
    root = pathlib.Path(root)
    return [path for path in walk(root) if _is_source(root / path)]


def shell(root):
    """Our shell scripts."""
    root = pathlib.Path(root)
    return [
        path
        for path in source(root)
        if path.suffix == ".sh" or _first_line(root / path).endswith("sh\n")
    ]


def _first_line(path):
    with open(path, encoding="utf-8") as file:
        line = file.readline()
    return line if line.startswith("#!") else ""


def _is_source(path):
    if path.suffix in _KINDS or path.name in _NAMES:
        return True
    if path.suffix not in ("", ".sbatch"):
        return False
    return _first_line(path) != ""
