# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""`ikstream solve`, `info` and `health`, in process and through a server."""

import json
import unittest

import harness
import solve_requests as requests


def without_times(answer):
    answer["summary"].pop("solve_seconds", None)
    return answer


class Solve(harness.TestCase):
    def write(self, request, name="request.json"):
        path = self.folder / name
        path.write_text(json.dumps(request))
        return path

    def test_reaches_the_target(self):
        for solver in ("", "ccd", "fabrik"):
            request = requests.arm(bones=3, target=(1.1, 1.3, 0.4), solver=solver)
            answer = self.ok("solve", self.write(request)).json()
            reached = requests.end_position(request, answer)
            self.assertLess(requests.distance(reached, (1.1, 1.3, 0.4)), 0.01, solver)

    def test_a_foot_is_placed_in_process_and_by_a_server(self):
        with harness.Server() as server:
            for args in ((), ("--server", server.address)):
                path = self.write(requests.standing(ground=-0.1))
                motion = self.ok("solve", path, *args).json()["motion"]
                self.assertAlmostEqual(motion["root_positions"][1], 0.9, places=5)
                self.assertEqual(motion["feet"][0]["weights"], [1.0])
                self.assertEqual(motion["feet"][0]["contacts"], [True])
            info = self.ok("info", "--server", server.address).out
            self.assertIn("PLACE", info)

    def test_out_of_reach_is_an_answer_and_strict_tells_it(self):
        path = self.write(requests.arm(target=(5.0, 0.0, 0.0)))
        answer = self.ok("solve", path).json()
        self.assertEqual(answer["motion"]["chains"][0]["statuses"], ["STATUS_UNREACHABLE"])
        self.assertEqual(harness.run("solve", "--strict", path).code, 1)

    def test_trace_compares_solvers(self):
        request = requests.arm(bones=3, target=(1.1, 1.3, 0.4))
        request["solvers"] = ["ccd"]
        path = self.write(request)
        with harness.Server() as server:
            here = self.ok("trace", path, "--solver", "fabrik").json()["traces"]
            there = self.ok("trace", path, "--solver", "fabrik", "--server", server.address)
            for a, b in zip(here, there.json()["traces"], strict=True):
                a.pop("solve_seconds")
                b.pop("solve_seconds")
                self.assertEqual(a, b)
        self.assertEqual([trace["solver"] for trace in here], ["ccd", "fabrik"])
        for trace in here:
            self.assertEqual(trace["status"], "STATUS_CONVERGED")
            self.assertLess(trace["errors"][-1], 3e-3)
        lines = self.ok("trace", path, "--csv").out.splitlines()
        self.assertEqual(lines[0], "solver,iteration,error,clamped_joints")
        self.assertEqual(len(lines), 1 + len(here[0]["errors"]))
        two_frames = self.write(requests.arm(frames=2), "two.json")
        self.assertIn("motion.root_positions", harness.run("trace", two_frames).err)

    def test_stdin_and_output_file(self):
        request = requests.arm()
        path = self.write(request)
        out = self.folder / "answer.json"
        done = self.ok("solve", "-", "-o", out, data=path.read_bytes())
        self.assertEqual(done.out, "")
        direct = self.ok("solve", path).json()
        self.assertEqual(without_times(json.loads(out.read_text())), without_times(direct))

    def test_same_bits_through_a_server(self):
        with harness.Server() as server:
            for solver in ("", "ccd", "fabrik", "two_bone"):
                request = requests.arm(bones=2, frames=50, solver=solver)
                path = self.write(request)
                here = self.ok("solve", path).json()
                there = self.ok("solve", path, "--server", server.address).json()
                self.assertEqual(without_times(here), without_times(there), solver)

    def test_mistakes_name_the_field_in_process_and_by_server(self):
        bad_index = requests.arm()
        bad_index["setup"]["rig"]["chains"][0]["end_joint"] = 99
        bad_value = requests.arm(frames=3)
        bad_value["motion"]["local_rotations"][25] = "NaN"
        bad_size = requests.arm()
        bad_size["motion"]["root_positions"].append(0.0)
        with harness.Server() as server:
            for where in ((), ("--server", server.address)):
                for request, words in (
                    (bad_index, ("setup.rig.chains[0]", "99")),
                    (bad_value, ("motion.local_rotations",)),
                    (bad_size, ("motion.root_positions",)),
                ):
                    self.fails(3, *words, args=("solve", self.write(request), *where))

    def test_files_and_json(self):
        self.fails(8, "none.json", args=("solve", self.folder / "none.json"))
        broken = self.folder / "broken.json"
        broken.write_text('{"setup": {"mode": "MODE_SLOVE"}}')
        self.fails(3, "broken.json", args=("solve", broken))
        broken.write_text("{")
        self.fails(3, "broken.json", args=("solve", broken))
        path = self.write(requests.arm())
        self.fails(8, "no/such", args=("solve", path, "-o", self.folder / "no/such/answer"))


class Program(harness.TestCase):
    def test_help_lists_commands_and_exit_codes(self):
        text = self.ok("--help").out
        for word in ("clean", "plan", "solve", "info", "health", "Exit codes", "130"):
            self.assertIn(word, text)
        self.assertIn("Exit codes", self.ok("clean", "--help").out)
        self.assertRegex(self.ok("--version").out, r"^ikstream \d+\.\d+\.\d+")

    def test_wrong_usage(self):
        for args in ((), ("slove",), ("solve",), ("info", "--colour"), ("info", "--timeout=x")):
            self.assertEqual(harness.run(*args).code, 2, args)

    def test_info_and_health(self):
        with harness.Server("--workers=2") as server:
            there = self.ok("info", "--format=json", "--server", server.address).json()
            self.assertEqual(there["workers"], 2)
            here = self.ok("info", "--format=json").json()
            for key in ("version", "cpu_target", "solvers", "default_profile"):
                self.assertEqual(here[key], there[key])
            self.assertIn("fabrik", self.ok("info").out)
            health = self.ok("health", "--server", server.address)
            self.assertIn("SERVING", health.out)
        self.assertIn("in-process SERVING", self.ok("health").out)

    def test_no_server(self):
        with harness.Server() as server:
            address = server.address
        for command in ("info", "health"):
            self.fails(4, address, args=(command, "--server", address))


if __name__ == "__main__":
    unittest.main()
