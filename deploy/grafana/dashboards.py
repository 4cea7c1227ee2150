#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Writes dashboards/*.json. usage: dashboards.py [FOLDER]      beside this file by default"""

import json
import pathlib
import sys

import motion
import service
import solver
from panels import dashboard


def all_dashboards():
    """File name -> dashboard."""
    worst = (
        " The worst clips stand in the folder report of `ikstream clean`: labels hold no names."
    )
    return {
        "service.json": dashboard(
            "ikstream-service",
            "ikstream: service",
            "Calls, waiting, workers, processes.",
            service.panels(),
        ),
        "solver.json": dashboard(
            "ikstream-solver", "ikstream: solvers", "Speed and convergence.", solver.panels()
        ),
        "motion.json": dashboard(
            "ikstream-motion",
            "ikstream: motion quality",
            "Feet before and after clean-up." + worst,
            motion.panels(),
        ),
    }


def text(content):
    """A dashboard as it stands in its file."""
    return json.dumps(content, indent=1) + "\n"


def main():
    here = pathlib.Path(__file__).parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "dashboards"
    for name, content in all_dashboards().items():
        (folder / name).write_text(text(content), encoding="utf-8")


if __name__ == "__main__":
    main()
