// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createRouterTransport,
  type ServiceImpl,
} from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { expect, test } from "vitest";
import { IkClient, IkError, Mode, type ClipAnswer } from "../src/client";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../src/client/gen/google/rpc/error_details_pb";
import { IkService, type SolveRequest } from "../src/client/gen/ikstream/v1/service_pb";

function clientOf(service: Partial<ServiceImpl<typeof IkService>>): IkClient {
  return new IkClient(
    "",
    createRouterTransport(({ service: add }) => add(IkService, service)),
  );
}

async function failure(call: Promise<unknown>): Promise<IkError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof IkError)) throw new Error(`no IkError: ${String(thrown)}`);
  return thrown;
}

test("typed arrays go out as packed lists and come back as typed arrays", async () => {
  let asked: SolveRequest | undefined;
  const client = clientOf({
    solve(request) {
      asked = request;
      const localRotations = request.motion?.localRotations ?? [];
      const chains = [{ statuses: [1], iterations: [3], residuals: [0.5] }];
      return { motion: { firstFrame: 7n, frameCount: 1, joints: [0], localRotations, chains } };
    },
  });
  const { motion } = await client.solve({
    setup: {
      mode: Mode.SOLVE,
      rig: { skeleton: { joints: [{ name: "hip", offset: { y: 1 } }] } },
    },
    motion: {
      localRotations: Float32Array.of(0, 0, 0.6, 0.8),
      targets: [{ chain: 0, positions: Float32Array.of(1, 2, 3) }],
    },
  });
  expect(asked?.setup?.rig?.skeleton?.joints[0]?.offset?.y).toBe(1);
  expect(asked?.motion?.targets[0]?.positions).toEqual([1, 2, 3]);
  expect(motion?.localRotations).toEqual(Float32Array.of(0, 0, 0.6, 0.8));
  expect(motion?.chains[0]?.residuals).toEqual(Float32Array.of(0.5));
  expect(motion?.firstFrame).toBe(7);
});

test("a refusal names its fields", async () => {
  const fieldViolations = [{ field: "setup.rig.chains[0].end_joint", description: "99 of 3" }];
  const details = [{ desc: BadRequestSchema, value: { fieldViolations } }];
  const client = clientOf({
    solve() {
      throw new ConnectError("bad chain", Code.InvalidArgument, undefined, details);
    },
  });
  const error = await failure(client.solve({}));
  expect([error.code, error.message]).toEqual(["InvalidArgument", "bad chain"]);
  expect(error.fields).toEqual(fieldViolations);
  expect(error.retryAfterMs).toBeUndefined();
});

test("a full server's delay and a reason are told", async () => {
  const client = clientOf({
    getServerInfo() {
      throw new ConnectError("full", Code.ResourceExhausted, undefined, [
        { desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n, nanos: 250_000_000 } } },
        { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { reason: "QUEUE_FULL" }) },
      ]);
    },
  });
  const error = await failure(client.info());
  expect([error.retryAfterMs, error.reason]).toEqual([1250, "QUEUE_FULL"]);
});

test("a clip comes in order, and leaving the loop ends the call", async () => {
  let ended = false;
  const client = clientOf({
    async *solveClip(_, { signal }) {
      signal.addEventListener("abort", () => (ended = true));
      yield { message: { case: "ready", value: { maxBatchFrames: 8 } } };
      for (;;) {
        yield { message: { case: "motion", value: { frameCount: 8, localRotations: [1] } } };
      }
    },
  });
  const kinds: ClipAnswer["kind"][] = [];
  for await (const answer of client.solveClip({})) {
    kinds.push(answer.kind);
    if (kinds.length === 3) break;
  }
  expect(kinds).toEqual(["ready", "motion", "motion"]);
  expect(ended).toBe(true);
});

test("traces come as typed arrays", async () => {
  const client = clientOf({
    trace: () => ({ traces: [{ solver: "ccd", errors: [1, 0.5], positions: [0, 0, 0] }] }),
  });
  const [trace] = await client.trace({ solvers: ["ccd"] });
  expect(trace?.solver).toBe("ccd");
  expect(trace?.errors).toEqual(Float32Array.of(1, 0.5));
});

test("calls end by signal and by time", async () => {
  const never = clientOf({ solve: () => new Promise(() => {}) });
  const stop = new AbortController();
  const stopped = failure(never.solve({}, { signal: stop.signal }));
  stop.abort();
  expect((await stopped).code).toBe("Canceled");
  expect((await failure(never.solve({}, { timeoutMs: 20 }))).code).toBe("DeadlineExceeded");
});

test("a server that cannot be reached is unavailable", async () => {
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const transport = createGrpcWebTransport({ baseUrl: "http://127.0.0.1", fetch });
  const error = await failure(new IkClient("", transport).info());
  expect(error.code).toBe("Unavailable");
});
