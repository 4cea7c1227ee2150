# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Feet before and after clean-up."""

from panels import heat, lines, number, row
from queries import IN, mean, quantiles, rate

_SLIDE = "ikstream_motion_slide_metres_per_frame"
_DEPTH = "ikstream_motion_penetration_metres"


def panels():
    before, after = 'stage="before"', 'stage="after"'
    slide = "stage:ikstream_motion_slide_metres_per_frame:mean_1h"
    return [
        number(
            "Feet cleaned",
            "Feet of clips, per hour.",
            "none",
            f"sum(rate({_SLIDE}_count{{{IN},{after}}}[1h])) * 3600",
            width=6,
        ),
        number(
            "Slide before",
            "Mean slide per frame in contact (1 h).",
            "lengthm",
            f"{slide}{{{before}}}",
            width=6,
        ),
        number(
            "Slide after",
            "Mean slide per frame in contact (1 h).",
            "lengthm",
            f"{slide}{{{after}}}",
            width=6,
        ),
        number(
            "Slide removed",
            "Share of the slide that the clean-up took away (1 h).",
            "percentunit",
            f"1 - {slide}{{{after}}} / on () {slide}{{{before}}}",
            0.8,
            0.5,
            width=6,
        ),
        row("Foot slide"),
        lines(
            "Mean slide",
            "Metres per frame in contact.",
            "lengthm",
            (mean(_SLIDE, "stage"), "{{stage}}"),
        ),
        lines(
            "Slide",
            "Metres per frame in contact; one observation per foot and clip.",
            "lengthm",
            *quantiles(_SLIDE, "stage", "{{stage}}"),
        ),
        lines(
            "Feet that still slide",
            "Share of feet above 1 mm per frame in contact.",
            "percentunit",
            (
                f'1 - sum by (stage) (rate({_SLIDE}_bucket{{{IN},le="0.001"}}[$__rate_interval])) / {rate(_SLIDE + "_count", "stage")}',
                "{{stage}}",
            ),
        ),
        heat(
            "Slide before", "Metres per frame in contact.", "lengthm", _SLIDE, f"{IN},{before}"
        ),
        heat("Slide after", "Metres per frame in contact.", "lengthm", _SLIDE, f"{IN},{after}"),
        row("Ground penetration"),
        lines(
            "Penetration",
            "The deepest of each foot and clip.",
            "lengthm",
            *quantiles(_DEPTH, "stage", "{{stage}}"),
        ),
        heat(
            "Penetration before",
            "The deepest of each foot and clip.",
            "lengthm",
            _DEPTH,
            f"{IN},{before}",
            width=8,
        ),
        heat(
            "Penetration after",
            "The deepest of each foot and clip.",
            "lengthm",
            _DEPTH,
            f"{IN},{after}",
            width=8,
        ),
    ]
