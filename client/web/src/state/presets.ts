// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import type { RigJoint, ViewerRig } from "./rig";

const leg: ViewerRig = {
  name: "leg",
  joints: [
    { name: "hip", offset: [0, 1, 0] },
    { name: "knee", parent: 0, offset: [0, -0.5, 0] },
    { name: "ankle", parent: 1, offset: [0, -0.5, 0] },
  ],
  target: [0, 0.2, 0.1],
  pole: [0, 0.6, 0.9],
  hinges: [{ joint: 1, minRad: 0, maxRad: 2.6 }],
};

function chainJoint(index: number): RigJoint {
  if (index === 0) return { name: "bone0", offset: [0, 0, 0] };
  return { name: `bone${index}`, parent: index - 1, offset: [0, 0.12, 0] };
}

const chain: ViewerRig = {
  name: "10 bones",
  joints: Array.from({ length: 11 }, (_, index) => chainJoint(index)),
  target: [0.5, 0.7, 0.2],
  hinges: [],
};

/** The rigs that the viewer offers. */
export const presets: readonly ViewerRig[] = [leg, chain];
