// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { expect, test } from "vitest";
import {
  IkError,
  Status,
  type Input,
  type SolveAnswer,
  type SolveRequest,
} from "../src/client";
import { create } from "@bufbuild/protobuf";
import { GetServerInfoResponseSchema } from "../src/client/gen/ikstream/v1/service_pb";
import { endPosition } from "../src/state/forward";
import { LatestWins } from "../src/state/latest";
import { presets } from "../src/state/presets";
import { restRotations, type ViewerRig } from "../src/state/rig";
import { Session } from "../src/state/session";
import { distance } from "../src/state/vector";
import { Store } from "../src/state/viewer_state";
import { moved } from "../src/ui/keys";

const [leg, chain] = presets as [ViewerRig, ViewerRig];
const settled = () => new Promise((done) => setTimeout(done, 0));

/** A server whose answers the test gives by hand. */
class Hand {
  readonly asked: Input<SolveRequest>[] = [];
  readonly #waiting: { done: (a: SolveAnswer) => void; failed: (e: Error) => void }[] = [];

  solve(request: Input<SolveRequest>): Promise<SolveAnswer> {
    this.asked.push(request);
    return new Promise((done, failed) => this.#waiting.push({ done, failed }));
  }

  async info() {
    return create(GetServerInfoResponseSchema, { version: "1", solvers: [{ name: "auto" }] });
  }

  targets() {
    return this.asked.map(({ motion }) => Array.from(motion?.targets?.[0]?.positions ?? []));
  }

  async answer(localRotations: Float32Array): Promise<void> {
    const chains = [
      {
        statuses: [Status.CONVERGED],
        iterations: Int32Array.of(4),
        residuals: Float32Array.of(0.25),
        residualAngles: Float32Array.of(),
      },
    ];
    const motion = {
      firstFrame: 0,
      frameCount: 1,
      joints: Int32Array.of(),
      chains,
      warnings: [],
    };
    const rootPositions = Float32Array.of();
    this.#waiting.shift()?.done({ motion: { ...motion, localRotations, rootPositions } });
    await settled();
  }

  async fail(error: Error): Promise<void> {
    this.#waiting.shift()?.failed(error);
    await settled();
  }
}

function session(rig = leg) {
  const hand = new Hand();
  const store = new Store(rig);
  return { hand, store, session: new Session(hand, store) };
}

test("one call at a time, those between are dropped", async () => {
  const ends: (() => void)[] = [];
  const latest = new LatestWins(() => new Promise((end) => ends.push(end)));
  for (let i = 0; i < 5; ++i) latest.ask();
  expect(ends.length).toBe(1);
  ends[0]?.();
  await settled();
  expect(ends.length).toBe(2);
  ends[1]?.();
  await settled();
  expect(ends.length).toBe(2);
  latest.ask();
  expect(ends.length).toBe(3);
});

test("a drag asks for the newest target and starts from the newest pose", async () => {
  const { hand, session: viewer, store } = session();
  for (const x of [0.25, 0.5, 0.75]) viewer.move("target", [x, 0, 0]);
  expect(hand.targets()).toEqual([[0.25, 0, 0]]);
  const pose = Float32Array.of(0.6, 0, 0, 0.8, 0, 0, 0, 1, 0, 0, 0, 1);
  await hand.answer(pose);
  expect(hand.targets()).toEqual([
    [0.25, 0, 0],
    [0.75, 0, 0],
  ]);
  expect(hand.asked[1]?.motion?.localRotations).toEqual(pose);
  expect(store.state.outcome).toMatchObject({
    status: Status.CONVERGED,
    iterations: 4,
    residual: 0.25,
  });
});

test("an answer for a rig that was left is dropped", async () => {
  const { hand, session: viewer, store } = session();
  viewer.move("target", [0, 0.25, 0]);
  viewer.chooseRig(chain);
  await hand.answer(restRotations(leg).fill(0.5));
  expect(store.state.localRotations).toEqual(restRotations(chain));
  expect(hand.asked[1]?.setup?.rig?.skeleton?.joints?.length).toBe(chain.joints.length);
});

test("an answer that does not fit the rig is an error, not a picture", async () => {
  const { hand, session: viewer, store } = session();
  viewer.move("target", [0, 0.25, 0]);
  await hand.answer(Float32Array.of(0, 0, 0, 1));
  expect(store.state.error).toContain("does not fit");
  expect(store.state.localRotations).toEqual(restRotations(leg));
});

test("a refusal is told, and the next answer clears it", async () => {
  const { hand, session: viewer, store } = session(chain);
  viewer.move("target", [0, 0.25, 0]);
  await hand.answer(restRotations(chain));
  hand.asked.length = 0;
  expect(store.state.outcome).toBeDefined();
  viewer.chooseSolver("two_bone");
  expect(hand.asked[0]?.setup?.rig?.chains?.[0]?.solver).toBe("two_bone");
  await hand.fail(new IkError("InvalidArgument", "two_bone needs two bones"));
  expect(store.state.error).toBe("The server refuses this: two_bone needs two bones");
  expect(store.state.outcome, "figures of the answer before").toBeUndefined();
  viewer.chooseSolver("auto");
  await hand.answer(restRotations(chain));
  expect(store.state.error).toBe("");
});

test("a server that comes back is found", async () => {
  const { hand, session: viewer, store } = session();
  viewer.move("target", [0, 0.25, 0]);
  await hand.fail(new IkError("Unavailable", "gone"));
  expect(store.state.error).toContain("away");
  await expect.poll(() => hand.asked.length, { timeout: 3000 }).toBe(2);
  expect(store.state.server).toContain("ikstream 1");
});

test("forward kinematics: rest, and the law of cosines", () => {
  expect(distance(endPosition(leg, restRotations(leg)), [0, 0, 0])).toBeLessThan(1e-9);
  // A knee bent by 90 degrees brings hip and ankle to 0.5 * sqrt(2).
  const bent = restRotations(leg);
  bent.set([Math.SQRT1_2, 0, 0, Math.SQRT1_2], 4);
  expect(distance(endPosition(leg, bent), [0, 1, 0])).toBeCloseTo(Math.SQRT1_2, 6);
});

test("keys move along the axes", () => {
  expect(moved([1, 1, 1], "ArrowLeft", false)).toEqual([0.98, 1, 1]);
  expect(moved([0, 0, 0], "PageUp", true)).toEqual([0, 0, 0.1]);
  expect(moved([0, 0, 0], "a", false)).toBeUndefined();
});
