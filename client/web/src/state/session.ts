// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import type { IkClient, MotionAnswer } from "../client";
import { errorText, isPassing } from "./error_text";
import { LatestWins } from "./latest";
import { solveRequest, type ViewerRig } from "./rig";
import type { Vector } from "./vector";
import { startOf, type HandleName, type Outcome, type Store } from "./viewer_state";

const TIMEOUT_MS = 5000;
const RETRY_MS = 1000;

/** Turns what the user does into calls, and answers into state. */
export class Session {
  readonly #solves = new LatestWins(() => this.#solve());
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly client: Pick<IkClient, "solve" | "info">,
    readonly store: Store,
  ) {}

  /** Asks what the server is, and solves; again and again while the server is away. */
  async start(): Promise<void> {
    try {
      const { version, cpuTarget, solvers } = await this.client.info({ timeoutMs: TIMEOUT_MS });
      this.store.set({ solvers, server: `ikstream ${version}, ${cpuTarget}`, error: "" });
      this.#solves.ask();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  move(handle: HandleName, to: Vector): void {
    this.store.set({ [handle]: to });
    this.#solves.ask();
  }

  chooseSolver(solver: string): void {
    this.store.set({ solver });
    this.#solves.ask();
  }

  /** This rig at rest. */
  chooseRig(rig: ViewerRig): void {
    this.store.set(startOf(rig));
    this.#solves.ask();
  }

  /** Each solve starts from the pose that was answered last. */
  async #solve(): Promise<void> {
    const { rig } = this.store.state;
    const begin = performance.now();
    try {
      const request = solveRequest(this.store.state);
      const { motion } = await this.client.solve(request, { timeoutMs: TIMEOUT_MS });
      // The answer for a rig that was left meanwhile fits nothing any more.
      if (motion && rig === this.store.state.rig) this.#solved(rig, motion, begin);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #solved(rig: ViewerRig, motion: MotionAnswer, begin: number): void {
    const { localRotations } = motion;
    if (localRotations.length !== 4 * rig.joints.length) {
      this.store.set({ error: "The answer does not fit the rig." });
      return;
    }
    const roundTripMs = performance.now() - begin;
    this.store.set({ localRotations, outcome: outcome(motion, roundTripMs), error: "" });
  }

  #failed(thrown: unknown): void {
    // Figures beside a refusal would be another answer's.
    this.store.set({ outcome: undefined, error: errorText(thrown) });
    if (!isPassing(thrown)) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), RETRY_MS);
  }
}

function outcome({ chains }: MotionAnswer, roundTripMs: number): Outcome | undefined {
  const status = chains[0]?.statuses[0];
  const iterations = chains[0]?.iterations[0];
  const residual = chains[0]?.residuals[0];
  if (status === undefined || iterations === undefined || residual === undefined)
    return undefined;
  return { status, iterations, residual, roundTripMs };
}
