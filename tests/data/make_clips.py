#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Makes clips with a known truth: see README.md and the package make_clips beside this file."""

import sys

from make_clips.cli import main

if __name__ == "__main__":
    sys.exit(main())
