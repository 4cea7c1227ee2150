#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Writes dashboards/*.json. usage: dashboards.py [FOLDER]      beside this file by default"""

import json
import pathlib
import sys

from panels import dashboard, heat, lines, number, row, table

IN = 'instance=~"$instance"'


def rate(name, by, more=""):
    """Per second, summed by a label."""
    return f"sum by ({by}) (rate({name}{{{IN}{more}}}[$__rate_interval]))"


def quantile(q, name, by="", more=""):
    """A quantile over all replicas: buckets are summed before it is taken."""
    labels = f"{by}, le" if by else "le"
    buckets = f"rate({name}_bucket{{{IN}{more}}}[$__rate_interval])"
    return f"histogram_quantile({q}, sum by ({labels}) ({buckets}))"


def quantiles(name, by="", legend=""):
    """The median and the 99th percentile, as two queries."""
    return [(quantile(q, name, by), f"{legend} {words}".strip()) for q, words in _TWO]


def mean(name, by):
    """The mean of a histogram's observations."""
    return f"{rate(name + '_sum', by)} / {rate(name + '_count', by)}"


_TWO = ((0.5, "median"), (0.99, "p99"))
_SLIDE = "ikstream_motion_slide_metres_per_frame"
_DEPTH = "ikstream_motion_penetration_metres"


def service():
    return [
        number("Replicas", "Replicas that answer.", "none", 'sum(up{job="ikstreamd"})', 1, 0.5),
        number(
            "Calls",
            "Calls per second.",
            "reqps",
            f"sum(rate(ikstream_rpc_started_total{{{IN}}}[$__rate_interval]))",
        ),
        number(
            "Failing calls",
            "Share of calls that fail by our fault (5 min).",
            "percentunit",
            "job:ikstream_rpc_errors:ratio_rate5m",
            0.001,
            0.01,
        ),
        number(
            "Refused calls",
            "Share of calls refused since the server is full (5 min).",
            "percentunit",
            "job:ikstream_rejected:ratio_rate5m",
            0.001,
            0.01,
        ),
        number(
            "Interactive wait",
            "p99 of the wait for a worker (5 min).",
            "s",
            'priority:ikstream_queue_wait_seconds:p99_5m{priority="interactive"}',
            0.01,
            0.05,
        ),
        number(
            "Workers busy",
            "Share of workers that work (5 min).",
            "percentunit",
            "job:ikstream_workers_busy:ratio",
            0.7,
            0.9,
        ),
        row("Calls"),
        lines(
            "Calls by method",
            "Calls that began, per second.",
            "reqps",
            (rate("ikstream_rpc_started_total", "method"), "{{method}}"),
        ),
        lines(
            "Calls by code",
            "Calls that ended, per second.",
            "reqps",
            (rate("ikstream_rpc_handled_total", "code"), "{{code}}"),
            stack=True,
        ),
        lines(
            "Refused, cancelled, dropped",
            "Refused by reason; given up by the caller; too late to run.",
            "reqps",
            (rate("ikstream_rejected_total", "reason"), "refused: {{reason}}"),
            (f"sum(rate(ikstream_cancelled_total{{{IN}}}[$__rate_interval]))", "cancelled"),
            (
                f"sum(rate(ikstream_deadline_dropped_total{{{IN}}}[$__rate_interval]))",
                "deadline passed",
            ),
        ),
        lines(
            "Duration of calls",
            "From begin to end; a stream counts whole.",
            "s",
            *quantiles("ikstream_rpc_seconds", "method", "{{method}}"),
        ),
        lines(
            "Time to first answer",
            "From a call's begin to its first answer.",
            "s",
            *quantiles("ikstream_first_response_seconds", "method", "{{method}}"),
        ),
        heat(
            "Unary calls",
            "Durations of Solve.",
            "s",
            "ikstream_rpc_seconds",
            IN + ',method="Solve"',
            width=8,
        ),
        row("Queue and workers"),
        lines(
            "Wait for a worker",
            "By priority.",
            "s",
            *quantiles("ikstream_queue_wait_seconds", "priority", "{{priority}}"),
        ),
        lines(
            "Queue",
            "Pieces of work that wait, and how many may.",
            "short",
            (f"sum(ikstream_queue_depth{{{IN}}})", "waiting"),
            (f"sum(ikstream_queue_capacity{{{IN}}})", "capacity"),
        ),
        lines(
            "Workers",
            "Worker threads.",
            "short",
            (f"sum(ikstream_workers_busy{{{IN}}})", "busy"),
            (f"sum(ikstream_workers{{{IN}}})", "all"),
        ),
        lines(
            "Calls and streams in progress",
            "By replica.",
            "short",
            (f"ikstream_active_calls{{{IN}}}", "{{instance}} calls"),
            (f"ikstream_active_streams{{{IN}}}", "{{instance}} streams"),
            (f"ikstream_streams_limit{{{IN}}}", "{{instance}} stream limit"),
        ),
        lines(
            "Bytes",
            "Bytes of messages.",
            "Bps",
            (rate("ikstream_message_bytes_total", "direction"), "{{direction}}"),
        ),
        lines(
            "Draining",
            "1 while a replica ends its calls before it exits.",
            "short",
            (f"ikstream_draining{{{IN}}}", "{{instance}}"),
        ),
        row("Processes"),
        lines(
            "CPU",
            "Cores in use, by replica.",
            "short",
            (
                f'rate(process_cpu_seconds_total{{{IN},job="ikstreamd"}}[$__rate_interval])',
                "{{instance}}",
            ),
        ),
        lines(
            "Memory",
            "Resident memory, by replica.",
            "bytes",
            (f'process_resident_memory_bytes{{{IN},job="ikstreamd"}}', "{{instance}}"),
        ),
        lines(
            "Open files",
            "File descriptors, by replica.",
            "short",
            (f'process_open_fds{{{IN},job="ikstreamd"}}', "{{instance}}"),
            (f'process_max_fds{{{IN},job="ikstreamd"}}', "{{instance}} limit"),
        ),
        table(
            "Versions",
            "What runs where: the same CPU target gives the same bits.",
            f"ikstream_build_info{{{IN}}}",
            width=24,
        ),
    ]


def solver():
    outcome = ',outcome!="skipped"'
    return [
        number(
            "Frames",
            "Chain-frames solved per second.",
            "short",
            f"sum(rate(ikstream_frames_total{{{IN}{outcome}}}[$__rate_interval]))",
            width=6,
        ),
        number(
            "Time per frame",
            "p99 of the solve time per frame (5 min).",
            "s",
            "job:ikstream_solve_seconds_per_frame:p99_5m",
            width=6,
        ),
        number(
            "Given up",
            "Share of frames within reach that did not converge (5 min), worst solver.",
            "percentunit",
            "max(solver:ikstream_frames:not_converged_ratio_rate5m)",
            0.01,
            0.05,
            width=6,
        ),
        number(
            "Iterations",
            "Mean iterations per solved chain-frame.",
            "none",
            f"sum(rate(ikstream_iterations_sum{{{IN}}}[$__rate_interval])) / sum(rate(ikstream_iterations_count{{{IN}}}[$__rate_interval]))",
            width=6,
        ),
        row("Speed"),
        lines(
            "Solve time per frame",
            "Averaged within a batch.",
            "s",
            *quantiles("ikstream_solve_seconds_per_frame"),
        ),
        heat(
            "Solve time per frame",
            "Where the time lies.",
            "s",
            "ikstream_solve_seconds_per_frame",
            IN,
            width=8,
        ),
        lines(
            "Frames by solver",
            "Chain-frames solved per second.",
            "short",
            (rate("ikstream_frames_total", "solver", outcome), "{{solver}}"),
        ),
        lines(
            "Frames per batch",
            "What callers send at once.",
            "short",
            *quantiles("ikstream_batch_frames", "method", "{{method}}"),
        ),
        lines(
            "Encoding",
            "Time to make the answers of a batch.",
            "s",
            *quantiles("ikstream_encode_seconds"),
        ),
        lines(
            "Frames per busy worker",
            "Chain-frames per second and busy worker.",
            "short",
            (
                f"sum(rate(ikstream_frames_total{{{IN}{outcome}}}[$__rate_interval])) / clamp_min(sum(avg_over_time(ikstream_workers_busy{{{IN}}}[$__rate_interval])), 0.01)",
                "frames/s",
            ),
        ),
        row("Convergence"),
        lines(
            "Outcomes",
            "Chain-frames per second.",
            "short",
            (rate("ikstream_frames_total", "outcome"), "{{outcome}}"),
            stack=True,
        ),
        lines(
            "Given up",
            "Share of frames within reach that did not converge (5 min).",
            "percentunit",
            ("solver:ikstream_frames:not_converged_ratio_rate5m", "{{solver}}"),
        ),
        lines(
            "Iterations",
            "Per solved chain-frame.",
            "short",
            *quantiles("ikstream_iterations", "solver", "{{solver}}"),
        ),
        lines(
            "Residual",
            "The greatest of a batch, as a share of the chain's length.",
            "percentunit",
            *quantiles("ikstream_residual_ratio", "solver", "{{solver}}"),
            width=12,
        ),
        heat(
            "Residual",
            "The greatest of a batch, as a share of the chain's length.",
            "percentunit",
            "ikstream_residual_ratio",
            IN,
        ),
    ]


def motion():
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


def all_dashboards():
    """File name -> dashboard."""
    worst = (
        " The worst clips stand in the folder report of `ikstream clean`: labels hold no names."
    )
    return {
        "service.json": dashboard(
            "ikstream-service",
            "ikstream: service",
            "Calls, waiting, workers, processes.",
            service(),
        ),
        "solver.json": dashboard(
            "ikstream-solver", "ikstream: solvers", "Speed and convergence.", solver()
        ),
        "motion.json": dashboard(
            "ikstream-motion",
            "ikstream: motion quality",
            "Feet before and after clean-up." + worst,
            motion(),
        ),
    }


def text(content):
    """A dashboard as it stands in its file."""
    return json.dumps(content, indent=1) + "\n"


def main():
    here = pathlib.Path(__file__).parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "dashboards"
    for name, content in all_dashboards().items():
        (folder / name).write_text(text(content), encoding="utf-8")


if __name__ == "__main__":
    main()
