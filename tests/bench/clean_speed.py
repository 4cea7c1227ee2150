#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""How fast `ikstream clean` is from file to file: frames per second on one core.

    clean_speed.py build/bin/ikstream [--frames 20000] [--clip CLIP.bvh]

The clip is repeated to the length asked for. Without one it is a generated walk to which nine
fingers are added, so that it has 31 joints. Prints the best of seven runs, and which share of
the time was solving. Time is what the program used of its core, so that others on the machine
do not count.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FINGERS, RUNS = 9, 7


def walk(folder):
    tool = HERE.parent / "data" / "make_clips.py"
    command = [sys.executable, tool, folder, "--kind", "loop", "--fps", "120"]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return folder / "loop.bvh"


def with_fingers(head, rows):
    """Nine joints more below the last joint of the hierarchy."""
    lines = head.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() == "MOTION")
    closing = at - 2  # The brace of the last joint; its ancestors' stand behind it.
    while "End Site" not in lines[closing]:
        closing -= 1
    fingers = []
    for n in range(FINGERS):
        fingers += [f"JOINT Finger{n}", "{", "OFFSET 0 0 1"]
        fingers += ["CHANNELS 3 Zrotation Xrotation Yrotation", "End Site", "{"]
        fingers += ["OFFSET 0 0 1", "}", "}"]
    lines[closing:closing] = fingers
    more = " ".join(f"{(7 * n) % 50}.{n}12345" for n in range(3 * FINGERS))
    return "\n".join(lines) + "\n", [f"{row.rstrip()} {more}\n" for row in rows]


def repeated(path, frames, fingers):
    text = path.read_text()
    split = text.index("\n", text.index("Frame Time")) + 1
    head, rows = text[:split], text[split:].splitlines(keepends=True)
    if fingers:
        head, rows = with_fingers(head, rows)
    begin = head.index("Frames:")
    end = head.index("\n", begin)
    head = f"{head[:begin]}Frames: {frames}{head[end:]}"
    whole = rows * (frames // len(rows) + 1)
    return head + "".join(whole[:frames])


def used():
    """Seconds that children used, user and system."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    p = argparse.ArgumentParser(prog="clean_speed.py", description=__doc__.splitlines()[0])
    p.add_argument("ikstream", help="the program")
    p.add_argument("--frames", type=int, default=20000)
    p.add_argument("--clip", type=pathlib.Path)
    options = p.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clip = folder / "long.bvh"
        source = options.clip or walk(folder)
        clip.write_text(repeated(source, options.frames, options.clip is None))
        command = [options.ikstream, "clean", clip, "-o", folder / "clean.bvh", "--format=json"]
        best, report = 1e30, None
        core = min(os.sched_getaffinity(0))
        for _ in range(RUNS):
            start = used()
            done = subprocess.run(
                list(map(str, command)),
                capture_output=True,
                check=True,
                preexec_fn=lambda: os.sched_setaffinity(0, {core}),
            )
            seconds = used() - start
            if seconds < best:
                best, report = seconds, json.loads(done.stdout)
        solving = report["solve_seconds"]
        size = clip.stat().st_size / 1e6
    print(
        f"{report['joints']} joints, {options.frames} frames, {size:.1f} MB: "
        f"{options.frames / best:.0f} frames/s, of which solving {100 * solving / best:.0f} %"
    )


if __name__ == "__main__":
    main()
