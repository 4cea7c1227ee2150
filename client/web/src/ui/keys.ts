// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { add, type Vector } from "../state/vector";

const STEPS: Record<string, Vector> = {
  ArrowLeft: [-1, 0, 0],
  ArrowRight: [1, 0, 0],
  ArrowDown: [0, -1, 0],
  ArrowUp: [0, 1, 0],
  PageDown: [0, 0, -1],
  PageUp: [0, 0, 1],
};

/** Where a key moves a point: 0.02 along an axis, 0.1 with Shift. Unset: not such a key. */
export function moved(from: Vector, key: string, shift: boolean): Vector | undefined {
  const step = STEPS[key];
  if (!step) return undefined;
  const size = shift ? 0.1 : 0.02;
  return add(from, [size * step[0], size * step[1], size * step[2]]);
}
