// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import type {
  ChainResult,
  ChainResult_Status,
  MotionResult,
  Warning,
} from "./gen/ikstream/v1/motion_pb";
import type { SolverTrace, Summary } from "./gen/ikstream/v1/service_pb";

/** How one chain fared, one entry per frame. */
export interface ChainAnswer {
  statuses: ChainResult_Status[];
  iterations: Int32Array;
  /** Distances of the answered end to the asked target, rig units. */
  residuals: Float32Array;
  residualAngles: Float32Array;
}

/** Solved frames: frame f of joint joints[k] is localRotations[4 * (f * joints.length + k)]. */
export interface MotionAnswer {
  firstFrame: number;
  frameCount: number;
  joints: Int32Array;
  /** x y z w, frame-major. */
  localRotations: Float32Array;
  /** Empty where the root did not move. */
  rootPositions: Float32Array;
  chains: ChainAnswer[];
  warnings: Warning[];
}

export interface SolveAnswer {
  motion?: MotionAnswer;
  summary?: Summary;
}

/** How one solver came to its answer: entry i is before (0) and after iteration i. */
export interface TraceAnswer {
  solver: string;
  status: ChainResult_Status;
  errors: Float32Array;
  /** 3 x (bones + 1) values for each of `errors`. */
  positions: Float32Array;
  clamps: Int32Array;
  joints: Int32Array;
  localRotations: Float32Array;
  solveSeconds: number;
}

function chainAnswer(chain: ChainResult): ChainAnswer {
  return {
    statuses: chain.statuses,
    iterations: Int32Array.from(chain.iterations),
    residuals: Float32Array.from(chain.residuals),
    residualAngles: Float32Array.from(chain.residualAnglesRad),
  };
}

export function motionAnswer(motion: MotionResult): MotionAnswer {
  return {
    firstFrame: Number(motion.firstFrame),
    frameCount: motion.frameCount,
    joints: Int32Array.from(motion.joints),
    localRotations: Float32Array.from(motion.localRotations),
    rootPositions: Float32Array.from(motion.rootPositions),
    chains: motion.chains.map(chainAnswer),
    warnings: motion.warnings,
  };
}

export function traceAnswer(trace: SolverTrace): TraceAnswer {
  return {
    solver: trace.solver,
    status: trace.status,
    errors: Float32Array.from(trace.errors),
    positions: Float32Array.from(trace.positions),
    clamps: Int32Array.from(trace.clamps),
    joints: Int32Array.from(trace.joints),
    localRotations: Float32Array.from(trace.localRotations),
    solveSeconds: trace.solveSeconds,
  };
}
