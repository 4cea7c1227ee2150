// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import type { Status } from "../client";
import { restRotations, type ViewerRig } from "./rig";
import type { Vector } from "./vector";

/** What the last answer said of the chain. */
export interface Outcome {
  status: Status;
  iterations: number;
  /** Rig units. */
  residual: number;
  roundTripMs: number;
}

/** A point that the user moves. */
export type HandleName = "target" | "pole";

/** All that the page shows. */
export interface ViewerState {
  rig: ViewerRig;
  solver: string;
  solvers: readonly { name: string; text: string }[];
  /** Version and CPU target; empty until the server answers. */
  server: string;
  target: Vector;
  pole?: Vector;
  /** The answered pose, x y z w per joint. */
  localRotations: Float32Array;
  outcome?: Outcome;
  /** A plain sentence; empty while all is well. */
  error: string;
}

/** A rig at rest, its target and pole where they stand first. */
export function startOf(
  rig: ViewerRig,
): Pick<ViewerState, "rig" | "target" | "pole" | "localRotations" | "outcome"> {
  return {
    rig,
    target: rig.target,
    pole: rig.pole,
    localRotations: restRotations(rig),
    outcome: undefined,
  };
}

/** Holds the state and tells listeners of changes. */
export class Store {
  #state: ViewerState;
  readonly #listeners: ((state: ViewerState) => void)[] = [];

  constructor(rig: ViewerRig) {
    this.#state = { ...startOf(rig), solver: "auto", solvers: [], server: "", error: "" };
  }

  get state(): ViewerState {
    return this.#state;
  }

  set(change: Partial<ViewerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener(this.#state);
  }

  subscribe(listener: (state: ViewerState) => void): void {
    this.#listeners.push(listener);
    listener(this.#state);
  }
}
