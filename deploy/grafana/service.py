# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Calls, waiting, workers, processes."""

from panels import heat, lines, number, row, table
from queries import IN, quantiles, rate


def panels():
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
