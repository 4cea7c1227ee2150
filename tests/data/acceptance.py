#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Cleans clips with `ikstream` and holds each against the acceptance table.

    acceptance.py build/bin/ikstream --seeds 1 2 --fps 30 60 120
    acceptance.py build/bin/ikstream --kinds none --clips FOLDER --twice

One line per clip; below it what it missed. Generated clips are given their ground (and their
platform, and feet by name where they are no pair of legs), never their truth.
"""

import argparse
import contextlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from types import SimpleNamespace

from judge.accept import Acceptance
from judge.clip import Clip, ClipError
from judge.report import Study
from make_clips.kinds import KINDS

HERE = pathlib.Path(__file__).parent


def parser():
    p = argparse.ArgumentParser(prog="acceptance.py", description=__doc__.splitlines()[0])
    p.add_argument("ikstream", help="the program")
    p.add_argument("--kinds", nargs="+", choices=(*KINDS, "all", "none"), default=["all"])
    p.add_argument("--seeds", nargs="+", type=int, default=[1])
    p.add_argument("--fps", nargs="+", type=int, default=[60])
    p.add_argument("--seconds", type=float, default=4.0)
    p.add_argument("--clips", nargs="*", default=[], help="BVH files, or folders of them")
    p.add_argument(
        "--twice",
        action="store_true",
        help="clean the result again, by the first plan and by one of its own, and tell the "
        "greatest move of a joint",
    )
    p.add_argument("--keep", help="keep the clips in this folder")
    return p


def ikstream(program, *args):
    return subprocess.run(
        [program, *map(str, args)], capture_output=True, text=True, check=False
    )


def generate(folder, kind, fps, seed, seconds):
    tool = [sys.executable, HERE / "make_clips.py", folder, "--kind", kind]
    more = ["--fps", fps, "--seed", seed, "--seconds", seconds]
    subprocess.run(list(map(str, tool + more)), check=True, stdout=subprocess.DEVNULL)
    return folder / f"{kind}.bvh"


def flags(clip, truth):
    """What a caller knows who knows the ground, and which limbs are planted."""
    out = ["--terrain", clip.with_suffix(".terrain.json")]
    if truth["platforms"]:
        out += ["--platforms", clip.with_suffix(".platforms.json")]
    limbs = truth["limbs"]
    if len(limbs) != 2:
        for limb in limbs:
            joints = limb["joints"]
            names = [joints[k] for k in ("hip", "knee", "ankle", "toe") if k in joints]
            out += ["--feet", f"{limb['name']}={','.join(names)}"]
        hands = [limb for limb in limbs if limb["kind"] == "hand"]
        for hand in hands:  # A wall tells nobody when it is touched.
            ranges = ",".join(f"{a}:{b}" for a, b in hand["contacts"])
            out += ["--contacts", f"{hand['name']}={ranges}"]
    if truth["kind"] == "loop":
        out.append("--loop")
    return out


def judge(clip, cleaned, truth=None, contacts=None, positions="replace", up="y"):
    options = SimpleNamespace(
        source=str(clip),
        cleaned=str(cleaned),
        truth=truth and str(truth),
        contacts=contacts and str(contacts),
        floor=None,
        up=up,
        positions=positions,
    )
    return Study(options).report()


def summary(report):
    """The worst figures of a clip's limbs."""
    limbs = list(report["limbs"].values())

    def worst(read, pick=max):
        return pick(read(rows) for rows in limbs)

    cells = [
        f"slide {worst(lambda r: r['after']['slide_mm_per_frame']):.3f}",
        f"low {worst(lambda r: r['after'].get('lowest_mm', 0.0), min):.2f}",
        f"float {worst(lambda r: r['after'].get('floating_p95_mm', 0.0)):.2f}",
        "knee "
        + format(
            worst(lambda r: r["after"]["knee_p99_deg_s"] / max(r["before"]["knee_p99_deg_s"], 1e-9)),
            ".2f",
        ),
    ]
    if all("truth_edge_jerk_p99" in r for r in limbs):
        ratio = worst(lambda r: r["after"]["edge_jerk_p99"] / max(r["truth_edge_jerk_p99"], 1e-9))
        cells.append(f"jerk/truth {ratio:.2f}")
        cells.append(f"f1 {worst(lambda r: r['f1'], min):.3f}")
        errors = [r["against_truth"] for r in limbs if r.get("against_truth")]
        if errors:
            high = max(e["vertical_max_mm"] for e in errors)
            cells.append(f"high {high:.2f}")
    else:
        ratio = worst(lambda r: r["after"]["edge_jerk_p99"] / max(r["before"]["edge_jerk_p99"], 1e-9))
        cells.append(f"jerk/source {ratio:.2f}")
        cells.append(f"moved {report['change']['joints_mean_mm']:.1f}")
        cells.append(f"pelvis {report['change']['pelvis_max_mm']:.1f}")
    return ", ".join(cells)


def moved(a, b, per_metre):
    """The farthest that a joint is apart in two clips, mm."""
    pairs = zip(Clip(str(a), "replace").positions, Clip(str(b), "replace").positions)
    return max(max(map(math.dist, p, q)) for p, q in pairs) * 1000.0 / per_metre


def again(options, clip, planned, per_metre, known):
    """The clean clip cleaned once more: by its plan, and by a plan found anew."""
    known = [a for k, a in enumerate(known) if "--contacts" not in known[max(0, k - 1) : k + 1]]
    cells, missed = [], []
    for what, flags_ in (("plan", [*known, "--plan", planned]), ("anew", known)):
        out = clip.with_suffix(f".{what}.bvh")
        done = ikstream(options.ikstream, "clean", clip, "-o", out, "-q", *flags_)
        if done.returncode:
            return f"again failed: {done.stderr.strip()}", ["cleaned twice: it failed"]
        apart = moved(clip, out, per_metre)
        cells.append(f"{what} {apart:.2f}")
        if what == "plan" and apart > 0.5:
            missed.append(f"cleaned twice by the same plan, mm: {apart:.3f} > 0.500")
    return "again by " + ", ".join(cells), missed


def tell(name, missed, text):
    print(f"{'FAILED' if missed else 'ok':6} {name:28} {text}")
    for line in missed:
        print("         " + line)
    sys.stdout.flush()
    return not missed


def generated(options, folder, kind, fps, seed):
    home = folder / f"{kind}-{fps}-{seed}"
    home.mkdir(exist_ok=True)
    clip = generate(home, kind, fps, seed, options.seconds)
    truth = clip.with_suffix(".truth.json")
    cleaned = home / "cleaned.bvh"
    known = flags(clip, json.loads(truth.read_text()))
    done = ikstream(options.ikstream, "clean", clip, "-o", cleaned, "-q", *known)
    name = f"{kind} {fps} fps seed {seed}"
    if done.returncode:
        return tell(name, [done.stderr.strip()], "")
    report = judge(clip, cleaned, truth)
    twice, missed = "", []
    planned = home / "plan.json"
    done = ikstream(options.ikstream, "plan", clip, "-o", planned, "-q", *known)
    if done.returncode:
        return tell(name, [done.stderr.strip()], "")
    # Contacts are what the plan says, not what the judge would have found.
    for limb, rows in judge(clip, cleaned, truth, planned)["limbs"].items():
        for key in ("f1", "f1_tolerant"):
            report["limbs"][limb][key] = rows[key]
    if options.twice:
        twice, missed = again(options, cleaned, planned, report["per_metre"], known)
    missed = Acceptance(False, True).failures(report) + missed
    return tell(name, missed, ", ".join(filter(None, (summary(report), twice))))


def real(options, folder, clip):
    cleaned = folder / ("cleaned-" + clip.name)
    done = ikstream(options.ikstream, "clean", clip, "-o", cleaned, "--format=json")
    if done.returncode:
        return tell(clip.name, [done.stderr.strip()], "")
    told = json.loads(done.stdout)
    up = "z" if told["up"] == "UP_AXIS_Z" else "y"
    try:
        report = judge(clip, cleaned, up=up, positions=told["positions"])
    except ClipError as error:
        return tell(clip.name, [str(error)], "")
    missed, text = Acceptance(False, False).failures(report), summary(report)
    if options.twice:
        planned = folder / "plan.json"
        ikstream(options.ikstream, "plan", clip, "-o", planned, "-q")
        twice, more = again(options, cleaned, planned, report["per_metre"], ["--up", up])
        missed, text = missed + more, f"{text}, {twice}"
    return tell(clip.name, missed, text)


def main(argv=None):
    options = parser().parse_args(argv)
    kinds = [] if "none" in options.kinds else options.kinds
    kinds = list(KINDS) if "all" in kinds else kinds
    with contextlib.ExitStack() as stack:
        name = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        folder = pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        results = [
            generated(options, folder, kind, fps, seed)
            for kind in kinds
            for fps in options.fps
            for seed in options.seeds
        ]
        for place in map(pathlib.Path, options.clips):
            for clip in sorted(place.glob("*.bvh")) if place.is_dir() else [place]:
                results.append(real(options, folder, clip))
    print(f"{sum(results)} of {len(results)} clips accepted")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
