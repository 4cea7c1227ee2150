# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The command line of make_clips.py."""

import argparse
import os
import sys

from .kinds import KINDS
from .make import Settings, files
from .space import UNITS

SAMPLES = (
    Settings("walk_flat", seed=1, fps=30, seconds=4.0),
    Settings("rough", seed=1, fps=30, seconds=4.0),
)


def parser():
    p = argparse.ArgumentParser(
        prog="make_clips.py",
        description="Makes clips with a known truth and known flaws: KIND.bvh (flawed), "
        "KIND.truth.json, KIND.terrain.json, KIND.obj where the ground is a mesh, "
        "KIND.platforms.json where it moves, and "
        "KIND.clean.bvh where asked for. The same arguments make the same bytes.",
    )
    p.add_argument("outdir", help="folder to write to; it is made where it is missing")
    p.add_argument(
        "--kind",
        nargs="+",
        choices=list(KINDS),
        metavar="KIND",
        help="default: all of " + " ".join(KINDS),
    )
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--fps", type=int, choices=(30, 60, 120), default=60)
    p.add_argument("--seconds", type=_number(3.0, 60.0), default=4.0, help="3 to 60, default 4")
    p.add_argument("--units", choices=list(UNITS), default="cm")
    p.add_argument("--up", choices=("y", "z"), default="y")
    p.add_argument(
        "--skate",
        type=_number(0.0, 500.0),
        metavar="MM_PER_S",
        help="root mean square speed of planted feet; default: the kind's own, 45 or 60",
    )
    p.add_argument(
        "--jitter",
        type=_number(0.0, 5.0),
        metavar="DEGREES",
        help="root mean square per rotation channel; legs get 0.15 of it; default 0.3",
    )
    p.add_argument(
        "--penetration",
        type=_number(-200.0, 200.0),
        metavar="MM",
        help="how far the body sinks at most; negative: it floats; default 20",
    )
    p.add_argument("--clean", action="store_true", help="write the truth as a BVH file, too")
    p.add_argument(
        "--samples",
        action="store_true",
        help="make the clips of tests/data/samples; other options are refused",
    )
    return p


def _number(low, high):
    def parse(text):
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not within {low:g} and {high:g}")
        return value

    return parse


def chosen(arguments, p):
    if arguments.samples:
        defaults = p.parse_args([arguments.outdir, "--samples"])
        if arguments != defaults:
            p.error("--samples takes no other option")
        return SAMPLES
    return [
        Settings(
            kind,
            arguments.seed,
            arguments.fps,
            arguments.seconds,
            arguments.units,
            arguments.up,
            arguments.skate,
            arguments.jitter,
            arguments.penetration,
            arguments.clean,
        )
        for kind in arguments.kind or KINDS
    ]


def main(argv=None):
    p = parser()
    arguments = p.parse_args(argv)
    try:
        os.makedirs(arguments.outdir, exist_ok=True)
        for settings in chosen(arguments, p):
            for name, content in files(settings).items():
                path = os.path.join(arguments.outdir, name)
                with open(path, "w", encoding="ascii", newline="\n") as out:
                    out.write(content)
                print(path)
    except OSError as error:
        print(f"make_clips.py: {error}", file=sys.stderr)
        return 1
    return 0
