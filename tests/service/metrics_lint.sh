#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
#
# usage: metrics_lint.sh DAEMON PROMTOOL
# Runs `promtool check metrics` on what the daemon exports. 77: promtool is not there.
set -eu
if ! command -v "${2:-promtool}" >/dev/null 2>&1; then
  echo "skipped: promtool is not installed (Debian package prometheus)"
  exit 77
fi
folder=$(mktemp -d)
"$1" --listen=127.0.0.1:0 --metrics-listen=127.0.0.1:0 --ports-file="$folder/ports" &
daemon=$!
trap 'kill $daemon 2>/dev/null; wait $daemon || true; rm -r "$folder"' EXIT
tries=0
until [ -f "$folder/ports" ]; do
  tries=$((tries + 1))
  [ $tries -le 200 ] || { echo "the daemon did not start"; exit 1; }
  sleep 0.05
done
. "$folder/ports"
curl -fsS "http://127.0.0.1:$metrics_port/metrics" >"$folder/metrics"
lines=$(grep -c '^ikstream_' "$folder/metrics")
[ "$lines" -gt 100 ] || { echo "only $lines series"; exit 1; }
"$2" check metrics <"$folder/metrics"
echo "$lines series are clean"
