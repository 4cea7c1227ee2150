# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Speed and convergence."""

from panels import heat, lines, number, row
from queries import IN, quantiles, rate


def panels():
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
