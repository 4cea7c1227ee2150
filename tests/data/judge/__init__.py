# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""An independent judge of cleaned clips: its own BVH reader, forward kinematics and figures.

Lengths are in the file's units until a figure is told in millimetres of the clip's metre:
1 m is leg length / 0.85, or what the truth says.
"""
