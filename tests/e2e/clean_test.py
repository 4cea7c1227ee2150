# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""`ikstream clean` and `ikstream plan` on one clip, judged by tests/data/measure.py."""

import json
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import harness

WALK = harness.SAMPLES / "walk_flat.bvh"


def rows(path):
    """The lines of a clip's frames."""
    lines = path.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Frame Time"))
    return [line for line in lines[start + 1 :] if line.strip()]


class Clean(harness.TestCase):
    def judge(self, clip, *args):
        """What the independent judge says of clean.bvh."""
        tool = harness.SOURCE / "tests" / "data" / "measure.py"
        command = [sys.executable, tool, clip, self.folder / "clean.bvh", *args]
        judged = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        return judged.stdout

    def test_feet_stand_on_a_fitted_floor(self):
        table = self.ok("clean", WALK, "-o", self.folder / "clean.bvh").out
        for word in ("up +Y", "planted slide", "knee speed p99", "units per metre"):
            self.assertIn(word, table)
        limbs = json.loads(self.judge(WALK, "--json"))["limbs"]
        self.assertEqual(len(limbs), 2)
        for name, limb in limbs.items():
            before, after = limb["before"], limb["after"]
            self.assertGreater(before["slide_mm_per_frame"], 1, name)
            self.assertLess(after["slide_mm_per_frame"], 0.1, name)
            self.assertGreater(after["lowest_mm"], -5, name)
            self.assertLess(after["floating_p95_mm"], before["floating_p95_mm"] + 0.1, name)
            self.assertLess(after["knee_p99_deg_s"], 1.1 * before["knee_p99_deg_s"], name)
        self.assertEqual(self.files(), ["clean.bvh"])

    def on_terrain(self, clip):
        ground = clip.with_suffix(".terrain.json")
        self.ok("clean", clip, "-o", self.folder / "clean.bvh", "--terrain", ground)

    def test_feet_stand_on_given_terrain(self):
        self.on_terrain(WALK)
        self.judge(WALK, "--accept", "--truth", WALK.with_suffix(".truth.json"))

    def test_feet_stand_on_rough_ground(self):
        """All figures but the height against the truth, which one foot misses (3.4 of 2.5 mm)."""
        clip = harness.SAMPLES / "rough.bvh"
        self.on_terrain(clip)
        truth = clip.with_suffix(".truth.json")
        for limb in json.loads(self.judge(clip, "--json", "--truth", truth))["limbs"].values():
            before, after = limb["before"], limb["after"]
            self.assertGreater(before["slide_mm_per_frame"], 1)
            self.assertLess(after["slide_mm_per_frame"], 0.1)
            self.assertLess(before["lowest_mm"], -15)
            self.assertGreater(after["lowest_mm"], -2)
            self.assertLess(after["floating_p95_mm"], 2)
            self.assertLess(after["knee_p99_deg_s"], 1.1 * before["knee_p99_deg_s"])

    def test_feet_ride_on_a_platform(self):
        harness.make_clips(self.folder, "--kind", "platform")
        clip = self.folder / "platform.bvh"
        ground = clip.with_suffix(".terrain.json")
        platforms = clip.with_suffix(".platforms.json")
        args = ("clean", clip, "-o", self.folder / "clean.bvh", "--terrain", ground)
        self.fails(3, "platform", args=args)
        self.ok(*args, "--platforms", platforms)
        self.judge(clip, "--accept", "--truth", clip.with_suffix(".truth.json"))
        part = self.ok(*args, "--platforms", platforms, "--frames=60:180", "--format=json").json()
        self.assertEqual(part["quality"]["sign_flips"], "0")
        short = json.loads(platforms.read_text())
        short["platforms"][0]["positions"] = short["platforms"][0]["positions"][:-3]
        platforms.write_text(json.dumps(short))
        self.fails(2, "--platforms", args=(*args, "--platforms", platforms))
        self.fails(2, "--terrain", args=(*args[:4], "--platforms", platforms))

    def test_same_bytes_through_a_server(self):
        clips = sorted(harness.SAMPLES.glob("*.bvh")) + harness.real_clips()
        compared = 0
        with harness.Server() as server:
            for clip in clips:
                here, there = self.folder / "here.bvh", self.folder / "there.bvh"
                first = harness.run("clean", clip, "-o", here)
                second = harness.run("clean", clip, "-o", there, "--server", server.address)
                self.assertEqual(first.code, second.code, clip)
                if first.code == 0:
                    self.assertEqual(here.read_bytes(), there.read_bytes(), clip)
                    compared += 1
        self.assertGreaterEqual(compared, 2)

    def test_clip_on_stdout_and_table_on_stderr(self):
        out = self.folder / "clean.bvh"
        self.ok("clean", WALK, "-o", out)
        piped = self.ok("clean", WALK, "-o", "-")
        self.assertEqual(piped.raw, out.read_bytes())
        self.assertIn("planted slide", piped.err)

    def test_quiet_says_nothing(self):
        done = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--quiet")
        self.assertEqual((done.out, done.err), ("", ""))

    def test_report_and_json(self):
        out, report = self.folder / "clean.bvh", self.folder / "report.json"
        done = self.ok("clean", WALK, "-o", out, "--report", report, "--format=json")
        told, kept = done.json(), json.loads(report.read_text())
        self.assertEqual(told, kept)
        self.assertEqual(kept["up"], "UP_AXIS_Y")
        self.assertEqual(len(kept["key"]["input_sha256"]), 64)
        before = kept["quality"]["before"]["feet"][0]["slide_mm_per_frame"]
        after = kept["quality"]["after"]["feet"][0]["slide_mm_per_frame"]
        self.assertLess(after, 0.1 * before)
        self.assertEqual(kept["quality"]["sign_flips"], "0")

    def test_plot(self):
        plot = self.folder / "feet.svg"
        self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plot", plot)
        svg = xml.etree.ElementTree.parse(plot).getroot()
        lines = svg.findall("{http://www.w3.org/2000/svg}polyline")
        self.assertEqual(len(lines), 8)  # two feet, height and speed, before and after
        self.assertNotEqual(lines[2].get("points"), lines[3].get("points"))

    def test_part_of_a_clip_leaves_the_rest(self):
        out = self.folder / "part.bvh"
        self.ok("clean", WALK, "-o", out, "--frames", "40:90")
        source, cleaned = rows(WALK), rows(out)
        self.assertEqual(source[:40], cleaned[:40])
        self.assertEqual(source[90:], cleaned[90:])
        self.assertNotEqual(source[40:90], cleaned[40:90])
        self.fails(2, "has frames", args=("clean", WALK, "-o", out, "--frames=9:99999"))

    def test_loop(self):
        harness.make_clips(self.folder, "--kind", "loop")
        out = self.folder / "clean.bvh"
        self.ok("clean", self.folder / "loop.bvh", "-o", out, "--loop")
        self.assertEqual(len(rows(out)), len(rows(self.folder / "loop.bvh")))

    def test_settings_matter_and_are_reported(self):
        args = ("clean", WALK, "-o", self.folder / "clean.bvh", "--format=json")
        settings = self.folder / "settings.json"
        settings.write_text('{"blend": {"seconds": 0.1}}')
        told = self.ok(*args, "--settings", settings, "--set", "pelvis.max_down_m=0.01").json()
        self.assertAlmostEqual(told["settings"]["blend"]["seconds"], 0.1)
        self.assertAlmostEqual(told["settings"]["pelvis"]["max_down_m"], 0.01)
        self.fails(2, "there are", args=(*args, "--set", "blend.secnds=1"))
        self.fails(3, "blend.seconds", args=(*args, "--set", "blend.seconds=-1"))
        printed = self.ok("clean", "--print-settings", "--set", "blend.seconds=0.3").json()
        self.assertAlmostEqual(printed["blend"]["seconds"], 0.3)
        self.assertAlmostEqual(printed["contact"]["enter_speed"], 0.15)


class Plan(harness.TestCase):
    def plan(self, *args):
        path = self.folder / "plan.json"
        path.write_text(self.ok("plan", WALK, *args).out)
        return path

    def test_plan_then_clean_is_the_same_as_clean(self):
        plan = self.plan()
        by_plan, direct = self.folder / "a.bvh", self.folder / "b.bvh"
        self.ok("clean", WALK, "-o", by_plan, "--plan", plan)
        self.ok("clean", WALK, "-o", direct)
        self.assertEqual(by_plan.read_bytes(), direct.read_bytes())

    def test_same_plan_through_a_server(self):
        with harness.Server() as server:
            there = self.ok("plan", WALK, "--server", server.address).json()
        self.assertEqual(json.loads(self.plan().read_text()), there)

    def test_edited_plan_beside_the_clip_is_obeyed(self):
        edited = json.loads(self.plan().read_text())
        for foot in edited["feet"]:
            for interval in foot["intervals"]:
                interval["ignored"] = True
        clip = self.folder / "walk.bvh"
        clip.write_bytes(WALK.read_bytes())
        (self.folder / "walk.plan.json").write_text(json.dumps(edited))
        shutil.copy(WALK.with_suffix(".terrain.json"), self.folder / "walk.terrain.json")
        out = self.folder / "clean.bvh"
        told = self.ok("clean", clip, "-o", out, "--format=json").json()
        self.assertTrue(told["plan"].endswith("walk.plan.json"))
        self.assertNotEqual(told["key"]["plan_sha256"], "")
        direct = self.folder / "direct.bvh"
        self.ok("clean", WALK, "-o", direct)
        self.assertNotEqual(out.read_bytes(), direct.read_bytes())

    def test_intervals_can_be_moved_and_added(self):
        """A person changes begin and end and nothing else, and writes a new contact at the end."""
        plan = json.loads(self.plan().read_text())
        intervals = plan["feet"][0]["intervals"]
        first, free = intervals[1], int(intervals[1]["end"])
        first["begin"] = str(int(first["begin"]) + 5)
        wanted = [(int(i.get("begin", 0)), int(i["end"])) for i in intervals]
        gap = (free + 3, int(intervals[2]["begin"]) - 3)
        intervals.append({"begin": gap[0], "end": gap[1]})
        edited = self.folder / "edited.json"
        edited.write_text(json.dumps(plan))
        out = self.folder / "clean.bvh"
        told = self.ok("clean", WALK, "-o", out, "--plan", edited, "--format=json").json()
        before, after = (told["quality"][k]["feet"][0] for k in ("before", "after"))
        self.assertEqual(int(after["contacts"]), len(wanted) + 1)
        # The foot was in the air there: the leg may not quite reach.
        self.assertLess(after["slide_mm_per_frame"], 0.1 * before["slide_mm_per_frame"])
        self.assertTrue(any("anchors" in note for note in told["notes"]), told["notes"])

    def test_locked_interval_outlives_a_new_plan(self):
        plan = json.loads(self.plan().read_text())
        interval = plan["feet"][0]["intervals"][0]
        interval["locked"] = True
        interval["end"] = str(int(interval["begin"]) + 7)
        interval["anchors"] = interval["anchors"][:1]
        (self.folder / "edited.json").write_text(json.dumps(plan))
        again = self.ok("plan", WALK, "--plan", self.folder / "edited.json").json()
        kept = [i for i in again["feet"][0]["intervals"] if i.get("locked")]
        self.assertEqual([(i.get("begin"), i["end"]) for i in kept],
                         [(interval.get("begin"), interval["end"])])

    def test_given_contacts_win(self):
        plan = json.loads(self.plan("--contacts", "0=40:60").read_text())
        given = [i for i in plan["feet"][0]["intervals"] if i["origin"] == "ORIGIN_GIVEN"]
        self.assertEqual([(i["begin"], i["end"]) for i in given], [("40", "60")])
        self.fails(2, "no foot `tail`", args=("plan", WALK, "--contacts", "tail=1:2"))

    def test_an_anchor_out_of_reach_is_told(self):
        plan = json.loads(self.plan().read_text())
        interval = plan["feet"][1]["intervals"][1]
        interval["anchors"][0]["position"]["x"] -= 150
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        told = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", path,
                       "--format=json")
        warning = told.json()["warnings"][0]
        self.assertEqual(warning["field"], "summary.quality.unreachable_max_mm")
        found = re.search(r"the right foot is ([\d.]+) mm .* in frame (\d+)", warning["message"])
        self.assertGreater(float(found[1]), 300)
        near = range(int(interval["begin"]) - 3, int(interval["end"]) + 3)  # It eases in and out.
        self.assertIn(int(found[2]), near)
        self.assertIn(warning["message"], told.err)

    def test_a_plan_in_other_units_is_told(self):
        plan = json.loads(self.plan().read_text())
        plan["units_per_metre"] = 50
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        told = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", path)
        self.assertIn("setup.plan.units_per_metre: is 50, the clip has 100, which hold", told.err)

    def test_a_platform_that_is_not_there_is_told(self):
        plan = json.loads(self.plan().read_text())
        plan["feet"][1]["intervals"][2]["platform"] = "lift"
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        told = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", path)
        self.assertIn("setup.plan.feet[1].intervals[2].platform: no platform of the terrain is "
                      "called lift", told.err)

    def test_a_foot_of_other_joints_is_named_with_them(self):
        plan = json.loads(self.plan().read_text())
        plan["feet"][0]["foot"]["ankle_joint"] -= 1
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        self.fails(3, "feet[0].foot: is left (LeftUpLeg to LeftLeg), the clip's is left "
                   "(LeftUpLeg to LeftFoot)",
                   args=("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", path))

    def test_plan_of_another_clip_is_refused(self):
        other = harness.SAMPLES / "rough.bvh"
        plan = json.loads(self.plan().read_text())
        plan["frame_count"] = "7"
        (self.folder / "plan.json").write_text(json.dumps(plan))
        out = self.folder / "clean.bvh"
        plan = self.folder / "plan.json"
        self.fails(3, "frame", args=("clean", other, "-o", out, "--plan", plan))
        self.assertFalse(out.exists())

    def test_plan_of_another_file_is_used_with_a_warning(self):
        plan = self.folder / "rough.json"
        self.ok("plan", harness.SAMPLES / "rough.bvh", "-o", plan)
        told = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", plan)
        self.assertIn("setup.plan.source_sha256: the plan was made of another file", told.err)
        report = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", plan,
                         "--format=json").json()
        # The other walk's anchors are where this one's legs do not reach.
        self.assertEqual([w["field"] for w in report["warnings"]],
                         ["setup.plan.source_sha256", "summary.quality.unreachable_max_mm"])
        own = self.ok("clean", WALK, "-o", self.folder / "clean.bvh", "--plan", self.plan())
        self.assertNotIn("warning", own.err)


class Mistakes(harness.TestCase):
    def clip(self, change):
        path = self.folder / "clip.bvh"
        path.write_text(change(WALK.read_text()))
        return path

    def test_broken_clips_tell_line_and_column_and_leave_nothing(self):
        out = self.folder / "clean.bvh"
        cut = self.clip(lambda text: text.rstrip()[:-9])
        self.fails(3, "clip.bvh:", args=("clean", cut, "-o", out))
        word = self.clip(lambda text: text.replace("HIERARCHY", "HIERARCHIE"))
        self.fails(3, "clip.bvh:1:1", "HIERARCHY", args=("clean", word, "-o", out))
        many = self.clip(lambda text: text.replace("Frames: ", "Frames: 1"))
        self.ok("clean", many, "-o", out)
        out.unlink()
        self.fails(3, "clip.bvh:", args=("clean", many, "-o", out, "--strict"))
        self.assertEqual(self.files(), ["clip.bvh"])

    def test_files(self):
        out = self.folder / "clean.bvh"
        self.fails(8, "none.bvh", args=("clean", self.folder / "none.bvh", "-o", out))
        self.fails(8, args=("clean", WALK, "-o", self.folder / "no" / "clean.bvh"))
        self.fails(2, "--in-place", args=("clean", WALK))
        self.fails(2, "terrain.json", args=(
            "clean", WALK, "-o", out, "--terrain", self.write("terrain.json", "{")))
        self.assertEqual(self.files(), ["terrain.json"])

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def test_feet_by_names(self):
        out = self.folder / "clean.bvh"
        self.fails(2, "no joint `Tail`", args=("clean", WALK, "-o", out, "--feet=Tail,a,b"))
        self.fails(2, "expected", args=("clean", WALK, "-o", out, "--feet=Tail"))


if __name__ == "__main__":
    unittest.main()
