#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Checks that includes run one way: core <- terrain <- motion <- pool, convert <- session
<- metrics <- service <- app, with the clients on top.

usage: include_direction.py ROOT      prints file:line of each offence; exit code 1 if any
"""

import pathlib
import re
import sys

import sources

# Outside libraries by the start of the include path. Anything without a slash and any
# <sys/...> is the standard library or POSIX, which all may use.
_LIBRARIES = {
    "absl/": "absl",
    "hwy/": "highway",
    "ikstream/v1/service.grpc": "grpc",
    "ikstream/": "proto",
    "google/": "proto",
    "grpc/": "grpc",
    "grpcpp/": "grpc",
    "grpc++/": "grpc",
    "prometheus/": "prometheus",
    "spdlog/": "spdlog",
    "CLI/": "cli11",
    "CivetServer.h": "prometheus",  # the HTTP server inside prometheus-cpp
    "openssl/": "openssl",
}

_MATHS = {"absl", "highway"}
_PROTO = {"absl", "proto"}
_ALL = set(_LIBRARIES.values())

# Folder -> (folders of ours that it may include besides itself, outside libraries).
LAYERS = {
    "server/core": ((), _MATHS),
    "server/terrain": (("server/core",), _MATHS),
    "server/motion": (("server/core", "server/terrain"), _MATHS),
    "server/pool": ((), {"absl"}),
    "server/convert": (("server/core", "server/terrain", "server/motion"), _PROTO),
}
_DOMAIN = ("server/core", "server/terrain", "server/motion", "server/pool", "server/convert")
LAYERS["server/session"] = (_DOMAIN, _PROTO)
LAYERS["server/metrics"] = (_DOMAIN + ("server/session",), _PROTO | {"prometheus"})
_SERVING = _DOMAIN + ("server/session", "server/metrics")
LAYERS["server/service"] = (_SERVING, _ALL - {"cli11", "openssl"})
LAYERS["server/app"] = (_SERVING + ("server/service",), _ALL)
LAYERS["client/cpp/bvh"] = (("server/core",), _MATHS)
LAYERS["client/cpp/gltf"] = (("server/core", "client/cpp/bvh"), {"absl"})
LAYERS["client/cpp/terrain"] = (("server/core", "server/terrain"), {"absl"})
_FILES = ("client/cpp/bvh", "client/cpp/gltf", "client/cpp/terrain")
LAYERS["client/cpp"] = (_DOMAIN + ("server/session",) + _FILES, _ALL - {"cli11", "prometheus"})
LAYERS["client/cli"] = (
    _DOMAIN + ("server/session", "client/cpp") + _FILES,
    _ALL - {"prometheus"},
)

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of(path):
    """The innermost folder of LAYERS that holds path (relative, with slashes), or None."""
    owners = [folder for folder in LAYERS if path.startswith(folder + "/")]
    return max(owners, key=len, default=None)


def _ours(root, included):
    for top in ("server", "client"):
        if (root / top / included).exists():
            return f"{top}/{included}"
    return None


def _library(included):
    for start, name in _LIBRARIES.items():
        if included.startswith(start):
            return name
    return None


def fault(root, path, quote, included):
    """What is wrong with this include in the file at path, or None."""
    layer = layer_of(path)
    folders, libraries = LAYERS[layer]
    target = _ours(root, included)
    if target:
        owner = layer_of(target)
        if owner == layer or owner in folders:
            return None
        return f"{layer} may not include {owner or target}"
    library = _library(included)
    if library:
        return None if library in libraries else f"{layer} may not know {library}"
    if quote == '"':
        return f"no file server/{included} or client/{included}"
    if "/" in included and not included.startswith(("sys/", "netinet/", "arpa/")):
        return f"unknown library {included}: name it in tests/lint/include_direction.py"
    return None


def check_file(root, path):
    """The faults of one file, each as file:line: words."""
    if layer_of(path) is None:
        return [f"{path}:1: unknown folder: name it in tests/lint/include_direction.py"]
    faults = []
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        match = _INCLUDE.match(line)
        words = match and fault(root, path, match[1], match[2])
        if words:
            faults.append(f"{path}:{number}: {words}: {line.strip()}")
    return faults


def check(root):
    """All faults below root."""
    root = pathlib.Path(root)
    paths = [str(path) for path in sources.cpp(root)]
    return [
        words
        for path in paths
        if path.startswith(("server/", "client/"))
        for words in check_file(root, path)
    ]


def main():
    faults = check(sys.argv[1])
    print("\n".join(faults) or "includes run one way")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
