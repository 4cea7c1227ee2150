#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Prints the figures of a clip, or of a clip before and after its clean-up."""

import argparse
import json
import sys

from judge.accept import Acceptance
from judge.clip import ClipError
from judge.report import Study

ROWS = (
    ("contacts", "contacts", "d"),
    ("contact_frames", "frames in contact", "d"),
    ("slide_mm_per_frame", "slide mm/frame", ".3f"),
    ("slide_mm_per_second", "slide mm/s", ".2f"),
    ("worst_drift_mm", "worst drift mm", ".2f"),
    ("worst_drift_frame", "  at frame", "d"),
    ("lowest_mm", "lowest point mm", ".2f"),
    ("frames_5mm_deep", "frames > 5 mm deep", "d"),
    ("floating_p95_mm", "floating p95 mm", ".2f"),
    ("knee_p99_deg_s", "knee p99 deg/s", ".1f"),
    ("knee_max_deg_s", "knee max deg/s", ".1f"),
    ("reach_max", "longest reach", ".4f"),
    ("edge_jerk_p99", "edge jerk p99 m/s^3", ".0f"),
)


def parser():
    p = argparse.ArgumentParser(prog="measure.py", description=__doc__)
    p.add_argument("source", help="the clip before the clean-up (BVH)")
    p.add_argument("cleaned", nargs="?", help="the same clip after it")
    p.add_argument("--truth", help="KIND.truth.json: legs, ground and units come from it")
    p.add_argument(
        "--contacts",
        help="measure on the contacts of this truth or plan, not on those found in the source",
    )
    p.add_argument(
        "--floor",
        type=float,
        help="a level floor, in the clip's units; default: a plane fitted to the plants",
    )
    p.add_argument("--up", choices=("y", "z"), default="y")
    p.add_argument(
        "--positions",
        choices=("replace", "add"),
        default="replace",
        help="what position channels do to OFFSET",
    )
    p.add_argument("--json", action="store_true", help="print the figures as JSON")
    p.add_argument(
        "--accept",
        action="store_true",
        help="exit with 1 where the cleaned clip misses the acceptance table",
    )
    return p


def table(report):
    lines = [
        f"1 m = {report['per_metre']:g} units, up {report['up']}, floor: {report['floor']}"
    ]
    lines += report["notes"]
    for name, rows in report["limbs"].items():
        sides = [side for side in ("before", "after") if side in rows]
        lines.append(f"{name:22}" + "".join(f"{side:>12}" for side in sides))
        for key, title, form in ROWS:
            if key in rows["before"]:
                cells = "".join(f"{format(rows[side][key], form):>12}" for side in sides)
                lines.append(f"  {title:20}{cells}")
        for key in ("truth_edge_jerk_p99", "f1", "f1_tolerant"):
            if key in rows:
                lines.append(f"  {key:20}{rows[key]:12.3f}")
        for key, value in (rows.get("against_truth") or {}).items():
            lines.append(f"  {key:20}{value:12.3f}")
    for key, value in report.get("change", {}).items():
        lines.append(f"change {key:15}{value:12.3f}")
    return "\n".join(lines)


def main(argv=None):
    p = parser()
    options = p.parse_args(argv)
    if options.accept and not options.cleaned:
        p.error("--accept needs the cleaned clip")
    try:
        report = Study(options).report()
    except (ClipError, OSError) as error:
        print(f"measure.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report, indent=1) if options.json else table(report))
    if not options.accept:
        return 0
    failed = Acceptance(bool(options.contacts), bool(options.truth)).failures(report)
    for line in failed:
        print("FAILED " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
