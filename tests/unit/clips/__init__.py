# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Tests of the clip generator and of measure.py: python3 -m unittest discover -t tests -s
tests/unit/clips, from anywhere with those paths."""

import os
import sys

DATA = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "data"))
sys.path.insert(0, DATA)
