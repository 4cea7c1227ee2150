// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { Mode, PoleKind, type Input, type SolveRequest } from "../client";
import type { Vector } from "./vector";

/** One joint of a viewer's rig; parents stand before their children. */
export interface RigJoint {
  name: string;
  parent?: number;
  /** The origin in the parent's frame; the root's is where the root stands. */
  offset: Vector;
}

/** A skeleton with one chain from its root to its last joint. */
export interface ViewerRig {
  name: string;
  joints: readonly RigJoint[];
  /** Where target and pole stand first. */
  target: Vector;
  pole?: Vector;
  /** Joints that turn about +X only, within these angles. */
  hinges: readonly { joint: number; minRad: number; maxRad: number }[];
}

/** What one solve is asked for. */
export interface Question {
  rig: ViewerRig;
  solver: string;
  target: Vector;
  pole?: Vector;
  /** The pose that the solve starts from, x y z w per joint. */
  localRotations: Float32Array;
}

/** All joints unturned. */
export function restRotations(rig: ViewerRig): Float32Array {
  return Float32Array.from(rig.joints.flatMap(() => [0, 0, 0, 1]));
}

function point([x, y, z]: Vector) {
  return { x, y, z };
}

function setup({ rig, solver, pole }: Question): Input<SolveRequest>["setup"] {
  const joints = rig.joints.map(({ name, parent, offset }) => ({
    name,
    offset: point(offset),
    ...(parent !== undefined && { parent }),
  }));
  const chain = { name: rig.name, rootJoint: 0, endJoint: joints.length - 1, solver };
  const limits = rig.hinges.map(({ joint, minRad, maxRad }) => ({
    joint,
    kind: { case: "hinge" as const, value: { axis: point([1, 0, 0]), minRad, maxRad } },
  }));
  const chains = [
    pole ? { ...chain, pole: { kind: PoleKind.POINT, value: point(pole) } } : chain,
  ];
  return { mode: Mode.SOLVE, rig: { skeleton: { joints }, chains, limits }, allJoints: true };
}

/** The protocol's request: one frame, all joints answered. */
export function solveRequest(question: Question): Input<SolveRequest> {
  const root = question.rig.joints[0];
  return {
    setup: setup(question),
    motion: {
      rootPositions: Float32Array.from(root ? root.offset : []),
      localRotations: question.localRotations,
      targets: [{ chain: 0, positions: Float32Array.from(question.target) }],
    },
  };
}
