// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

/** A point or a direction, rig units. */
export type Vector = readonly [number, number, number];

export function add(a: Vector, b: Vector): Vector {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

export function distance(a: Vector, b: Vector): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** "0.123, -0.800, 0.000". */
export function text(v: Vector): string {
  return v.map((c) => (c + 0).toFixed(3).replace(/^-(0\.0+)$/, "$1")).join(", ");
}
