# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""`ikstream clean` on folders and lists: trees, shards, what is done already, failures."""

import json
import pathlib
import shutil
import signal
import time
import unittest

import harness

WALK = harness.SAMPLES / "walk_flat.bvh"
ROUGH = harness.SAMPLES / "rough.bvh"


class Folder(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "in"
        self.out = self.folder / "out"
        (self.source / "day1").mkdir(parents=True)
        shutil.copy(WALK, self.source / "walk.bvh")
        shutil.copy(WALK.with_suffix(".terrain.json"), self.source / "walk.terrain.json")
        shutil.copy(ROUGH, self.source / "day1" / "rough.bvh")

    def clean(self, *args):
        return self.ok("clean", self.source, "-o", self.out, *args)

    def test_tree_is_kept_and_each_clip_has_a_report(self):
        done = self.clean("--jobs=2")
        self.assertEqual(
            self.files(self.out),
            ["day1/rough.bvh", "day1/rough.report.json", "walk.bvh", "walk.report.json"],
        )
        self.assertEqual(len(done.out.splitlines()), 2)
        self.assertIn("2 cleaned", done.err)
        single = self.folder / "single.bvh"
        self.ok("clean", WALK, "-o", single)
        self.assertEqual(single.read_bytes(), (self.out / "walk.bvh").read_bytes())

    def test_what_is_done_is_skipped_until_something_changes(self):
        self.clean()
        stamp = (self.out / "walk.bvh").stat().st_mtime_ns
        self.assertIn("2 done before", self.clean().err)
        self.assertEqual((self.out / "walk.bvh").stat().st_mtime_ns, stamp)
        self.assertIn("2 cleaned", self.clean("--set=blend.seconds=0.2").err)
        self.assertIn("2 done before", self.clean("--set=blend.seconds=0.2").err)
        (self.out / "walk.bvh").write_text("damaged")
        self.assertIn("1 cleaned, 1 done before", self.clean("--set=blend.seconds=0.2").err)
        plan = self.ok("plan", WALK).out
        (self.source / "walk.plan.json").write_text(plan)
        self.assertIn("1 cleaned, 1 done before", self.clean("--set=blend.seconds=0.2").err)
        self.assertIn("2 cleaned", self.clean("--force").err)

    def test_the_ground_that_lies_beside_a_clip_is_its_ground(self):
        terrain = ROUGH.with_suffix(".terrain.json")
        self.ok("clean", ROUGH, "-o", self.folder / "named.bvh", "--terrain", terrain)
        self.clean()
        beside = shutil.copy(terrain, self.source / "day1")
        dry = self.clean("--dry-run").out
        self.assertIn(f" on {beside}", dry)
        self.assertEqual(dry.count("done already"), 1, "the other one is to be cleaned anew")
        done = self.clean()
        self.assertIn("1 cleaned, 1 done before", done.err)
        self.assertIn(f"rough.bvh: obeys {beside}", done.err)
        out = self.out / "day1" / "rough.bvh"
        self.assertEqual(out.read_bytes(), (self.folder / "named.bvh").read_bytes())
        report = json.loads(out.with_suffix(".report.json").read_text())
        self.assertEqual(report["sidecars"], [str(beside)])
        self.assertIn("2 cleaned", self.clean("--no-sidecars").err)
        self.assertNotEqual(out.read_bytes(), (self.folder / "named.bvh").read_bytes())

    def test_what_is_wrong_with_the_ground_beside_a_clip_is_told(self):
        beside = self.source / "day1" / "rough.terrain.json"
        beside.write_text('{"planes": [')
        failed = harness.run("clean", self.source, "-o", self.out)
        self.assertNotEqual(failed.code, 0)
        self.assertIn(f"{beside}: not the JSON of ikstream.v1.Terrain", failed.err)
        self.assertEqual(self.files(self.out), ["walk.bvh", "walk.report.json"])

    def test_in_place_keeps_what_it_did(self):
        self.ok("clean", self.source, "--in-place")
        first = (self.source / "walk.bvh").read_bytes()
        self.assertNotEqual(first, WALK.read_bytes())
        self.assertIn("2 done before", self.ok("clean", self.source, "--in-place").err)
        self.assertEqual((self.source / "walk.bvh").read_bytes(), first)

    def test_one_bad_clip_does_not_stop_the_others(self):
        (self.source / "bad.bvh").write_text("HIERARCHY\nnonsense")
        done = harness.run("clean", self.source, "-o", self.out, "--format=json")
        self.assertEqual(done.code, 1)
        self.assertIn("failed: " + str(self.source / "bad.bvh"), done.err)
        told = [json.loads(line) for line in done.out.splitlines()]
        self.assertEqual(len(told), 2)
        self.assertFalse((self.out / "bad.bvh").exists())

    def test_shards_share_a_list(self):
        lines = []
        for i in range(5):
            clip = self.source / f"clip{i}.bvh"
            shutil.copy(WALK, clip)
            lines.append(str(clip))
        clips = self.folder / "clips.txt"
        clips.write_text("\n".join(reversed(lines)))
        made = []
        for shard in range(2):
            self.ok("clean", clips, "-o", self.out, "--shard", f"{shard}/2")
            now = [name for name in self.files(self.out) if name.endswith(".bvh")]
            made.append(sorted(set(now) - {name for part in made for name in part}))
        self.assertEqual(
            made, [["clip0.bvh", "clip2.bvh", "clip4.bvh"], ["clip1.bvh", "clip3.bvh"]]
        )

    def test_dry_run_does_nothing(self):
        done = self.clean("--dry-run")
        self.assertIn(f"walk.bvh -> {self.out}/walk.bvh", done.out)
        self.assertFalse(self.out.exists())

    def test_dry_run_tells_what_is_done(self):
        self.clean()
        (self.source / "new.bvh").write_bytes(WALK.read_bytes())
        lines = self.clean("--dry-run").out.splitlines()
        done = [line for line in lines if "done already" in line]
        self.assertEqual(len(lines), len(done) + 1)
        self.assertTrue(any("/walk.bvh ->" in line for line in done), lines)
        self.assertNotIn("done already", self.clean("--dry-run", "--force").out)

    def test_worst_clips_come_first(self):
        harness.make_clips(self.source, "--kind", "still")
        told = self.clean().err
        table = told[told.index("worst clips first") :].splitlines()[1:]
        scores = [float(line.split()[0]) for line in table if ".bvh:" in line]
        self.assertGreaterEqual(len(scores), 2)
        self.assertEqual(scores, sorted(scores, reverse=True))

    def test_flags_for_one_clip_are_refused(self):
        for flag in ("--report=x", "--plot=x", "--plan=x"):
            self.fails(2, "for one clip", args=("clean", self.source, "-o", self.out, flag))


class Interrupted(harness.TestCase):
    def test_nothing_is_half_written(self):
        source, out = self.folder / "in", self.folder / "out"
        source.mkdir()
        for i in range(400):
            shutil.copy(WALK, source / f"{i:03}.bvh")
        process = harness.start("clean", source, "-o", out, "--jobs=2")
        end = time.monotonic() + 120
        while not list(out.glob("*.report.json")) and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn(b"interrupted", err)
        names = [pathlib.Path(name) for name in self.files(out)]
        self.assertFalse([name for name in names if name.suffix not in (".bvh", ".json")])
        whole = len(WALK.read_text().splitlines())
        clips = [name for name in names if name.suffix == ".bvh"]
        self.assertLess(len(clips), 400)
        for clip in clips:
            self.assertEqual(len((out / clip).read_text().splitlines()), whole)
        done = self.ok("clean", source, "-o", out, "--quiet")
        self.assertEqual(len(list(out.glob("*.bvh"))), 400, done.err)


if __name__ == "__main__":
    unittest.main()
