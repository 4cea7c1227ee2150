// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import type { ViewerRig } from "./rig";
import { add, type Vector } from "./vector";

type Quaternion = readonly [number, number, number, number];

function multiply([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** v + 2w (u x v) + 2u x (u x v), u being the quaternion's vector part. */
function rotate([x, y, z, w]: Quaternion, v: Vector): Vector {
  const t: Vector = [
    2 * (y * v[2] - z * v[1]),
    2 * (z * v[0] - x * v[2]),
    2 * (x * v[1] - y * v[0]),
  ];
  return [
    v[0] + w * t[0] + y * t[2] - z * t[1],
    v[1] + w * t[1] + z * t[0] - x * t[2],
    v[2] + w * t[2] + x * t[1] - y * t[0],
  ];
}

function localRotation(rotations: Float32Array, joint: number): Quaternion {
  const [x = 0, y = 0, z = 0, w = 1] = rotations.subarray(4 * joint, 4 * joint + 4);
  return [x, y, z, w];
}

/** The joints' origins in the space of the root, by forward kinematics. */
export function jointPositions(rig: ViewerRig, rotations: Float32Array): Vector[] {
  const positions: Vector[] = [];
  const turns: Quaternion[] = [];
  rig.joints.forEach(({ parent, offset }, joint) => {
    const local = localRotation(rotations, joint);
    const above = parent === undefined ? undefined : turns[parent];
    const from = parent === undefined ? undefined : positions[parent];
    turns.push(above ? multiply(above, local) : local);
    positions.push(above && from ? add(from, rotate(above, offset)) : offset);
  });
  return positions;
}

/** Where the chain ends. */
export function endPosition(rig: ViewerRig, rotations: Float32Array): Vector {
  return jointPositions(rig, rotations).at(-1) ?? [0, 0, 0];
}
