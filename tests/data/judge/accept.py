# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The acceptance table: what a cleaned clip must reach, against its source and its truth."""

# Limits that are a source's own figure are met by a clip that keeps it: rotations are floats and
# text has six decimals, which is less than this, in the figure's own unit.
ROUNDING = 0.001


class Acceptance:
    """Limits for clips with a truth (ground known) or without, and contacts given or found."""

    def __init__(self, given, has_truth):
        self.slide_share, self.slide_mm = (0.01, 0.05) if given else (0.05, 0.1)
        self.lowest_mm, self.floating_mm = (-2.0, 2.0) if has_truth else (-5.0, 10.0)
        self.has_truth = has_truth
        self._failed = []

    def failures(self, report):
        """Lines that say what was missed; empty: accepted."""
        self._failed = []
        self._ask("clip", _any_contact(report), "no plant was found")
        for name, rows in report["limbs"].items():
            self._limb(name, rows)
            if self.has_truth:
                self._truth(name, rows)
        if not self.has_truth:
            self._most(
                "clip", "mean move of joints, mm", report["change"]["joints_mean_mm"], 15.0
            )
            self._most(
                "clip", "move of the pelvis, mm", report["change"]["pelvis_max_mm"], 30.0
            )
        return self._failed

    def _limb(self, name, rows):
        a, b = rows["before"], rows["after"]
        most = max(self.slide_mm, self.slide_share * a["slide_mm_per_frame"])
        self._most(name, "slide, mm/frame", b["slide_mm_per_frame"], most)
        if "lowest_mm" in b:
            self._least(name, "lowest point, mm", b["lowest_mm"], self.lowest_mm)
            own = 0.0 if self.has_truth else a["floating_p95_mm"]
            self._most(name, "floating, mm", b["floating_p95_mm"], max(self.floating_mm, own))
        most = max(1.1 * a["knee_p99_deg_s"], a["knee_p99_deg_s"] + 20.0)
        self._most(name, "knee p99, deg/s", b["knee_p99_deg_s"], most)
        most = (
            1.6 * rows["truth_edge_jerk_p99"] if self.has_truth else 1.25 * a["edge_jerk_p99"]
        )
        self._most(name, "edge jerk p99, m/s^3", b["edge_jerk_p99"], most)

    def _truth(self, name, rows):
        self._least(name, "contacts F1", rows["f1"], 0.95)
        self._least(name, "contacts F1 within a frame", rows["f1_tolerant"], 0.98)
        error = rows.get("against_truth")
        if error:
            self._most(name, "off the true height, mm", error["vertical_max_mm"], 2.5)
            # The flawed clip may be exact: then 0.05 mm is.
            most = max(0.05, 1.1 * error["best_anchor_mean_mm"])
            self._most(name, "off the true place, mm", error["horizontal_mean_mm"], most)

    def _most(self, name, what, value, limit):
        good = value <= limit + ROUNDING
        self._ask(name, good, f"{what}: {value:.3f} > {limit:.3f}")

    def _least(self, name, what, value, limit):
        self._ask(name, value >= limit, f"{what}: {value:.3f} < {limit:.3f}")

    def _ask(self, name, good, text):
        if not good:
            self._failed.append(f"{name}: {text}")


def _any_contact(report):
    return any(rows["before"]["contacts"] for rows in report["limbs"].values())
