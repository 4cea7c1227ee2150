# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Clips with a known truth.

A footstep plan is turned into foot trajectories, those into a pelvis that lets every leg
reach, and the legs are closed by the law of cosines. That is the truth. Known damage is then
added to its channels. Nothing here shares code or method with the service, so the clips can
judge it.

Inside: metres, seconds, radians, right-handed, Y up, +Z forward at the start, +X left.
"""
