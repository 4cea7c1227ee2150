# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Keeps a number of Solve calls under way for some seconds, balanced by the client where the
target has several addresses; prints as JSON how many ended with which code. Run by work.py.

usage: load.py TARGET SECONDS CONCURRENCY FILE     FILE: a SolveRequest in bytes"""

import collections
import json
import pathlib
import sys
import threading
import time

import grpc

# No retries of the client's own: what is measured is what the edge does.
OPTIONS = (
    ("grpc.service_config", '{"loadBalancingConfig": [{"round_robin": {}}]}'),
    ("grpc.enable_retries", 0),
)


def main():
    target, seconds, concurrency, file = sys.argv[1:]
    message = pathlib.Path(file).read_bytes()
    codes, lock = collections.Counter(), threading.Lock()
    channel = grpc.insecure_channel(target, OPTIONS)
    grpc.channel_ready_future(channel).result(timeout=30)
    solve = channel.unary_unary("/ikstream.v1.IkService/Solve")
    end = time.monotonic() + float(seconds)

    def work():
        while time.monotonic() < end:
            try:
                solve(message, timeout=30)
                code = "OK"
            except grpc.RpcError as error:
                code = error.code().name
            with lock:
                codes[code] += 1

    threads = [threading.Thread(target=work) for _ in range(int(concurrency))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    json.dump(codes, sys.stdout)


main()
