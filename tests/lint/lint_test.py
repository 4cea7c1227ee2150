#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Tests of the checks themselves: each must find the fault that it is there for."""

import pathlib
import tempfile
import unittest

import include_direction
import text

_HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Copyright The ikstream authors\n"


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("core/math", "motion/plan", "pool/pool", "service/reactor"):
            self.write(f"server/{name}.h", "")

    def write(self, path, body):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_HEAD + body)


class IncludeDirection(Tree):
    def faults(self, path, include):
        self.write(path, f"#include {include}\n")
        return include_direction.check(self.root)

    def test_downwards_is_fine(self):
        self.assertEqual(self.faults("server/motion/a.cc", '"core/math.h"'), [])

    def test_own_folder_and_standard_library_are_fine(self):
        self.assertEqual(self.faults("server/core/a.cc", '"core/math.h"'), [])
        self.assertEqual(self.faults("server/core/a.cc", "<vector>"), [])
        self.assertEqual(self.faults("server/core/a.cc", "<sys/types.h>"), [])

    def test_upwards_is_named_with_its_line(self):
        faults = self.faults("server/core/a.cc", '"motion/plan.h"')
        self.assertEqual(len(faults), 1)
        self.assertTrue(faults[0].startswith("server/core/a.cc:3: server/core may not include"))

    def test_neighbours_do_not_know_each_other(self):
        self.write("server/convert/rig.h", "")
        self.assertEqual(len(self.faults("server/convert/a.cc", '"pool/pool.h"')), 1)

    def test_core_knows_no_protocol(self):
        for include in (
            '"ikstream/v1/rig.pb.h"',
            "<grpcpp/server.h>",
            "<prometheus/counter.h>",
        ):
            with self.subTest(include):
                self.assertEqual(len(self.faults("server/core/a.cc", include)), 1)

    def test_session_knows_messages_but_not_stubs(self):
        self.assertEqual(self.faults("server/session/a.cc", '"ikstream/v1/rig.pb.h"'), [])
        stubs = '"ikstream/v1/service.grpc.pb.h"'
        self.assertEqual(len(self.faults("server/session/a.cc", stubs)), 1)

    def test_server_knows_no_client(self):
        self.write("client/cpp/bvh/bvh.h", "")
        self.assertEqual(len(self.faults("server/app/a.cc", '"cpp/bvh/bvh.h"')), 1)

    def test_unknown_folder_is_a_fault(self):
        self.assertEqual(len(self.faults("server/misc/a.cc", "<vector>")), 1)

    def test_missing_file_is_a_fault(self):
        self.assertEqual(len(self.faults("server/core/a.cc", '"core/gone.h"')), 1)


class Text(unittest.TestCase):
    def test_clean_file(self):
        self.assertEqual(text.check_text("a.h", _HEAD + "int x;\n"), [])

    def test_header_is_needed(self):
        self.assertEqual(len(text.check_text("a.h", "int x;\n")), 2)

    def test_note_is_named_with_its_line(self):
        faults = text.check_text("a.h", _HEAD + "int x;\n// TO" + "DO: y\n")
        self.assertEqual(len(faults), 1)
        self.assertTrue(faults[0].startswith("a.h:4:"))

    def test_giant(self):
        self.assertEqual(len(text.check_text("a.h", _HEAD + "\n" * text.MAX_LINES)), 1)


if __name__ == "__main__":
    unittest.main()
