// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  createClient,
  type CallOptions,
  type Client,
  type Transport,
} from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import {
  motionAnswer,
  traceAnswer,
  type MotionAnswer,
  type SolveAnswer,
  type TraceAnswer,
} from "./answers";
import { ikError } from "./errors";
import type { PlanPart } from "./gen/ikstream/v1/cleanup_pb";
import {
  IkService,
  SolveClipRequestSchema,
  SolveRequestSchema,
  TraceRequestSchema,
  type GetServerInfoResponse,
  type SolveClipRequest,
  type SolveClipResponse,
  type SolveRequest,
  type StreamReady,
  type Summary,
  type TraceRequest,
} from "./gen/ikstream/v1/service_pb";
import { unpacked, type Input } from "./packed";

/** Ends a call early: by hand, or after a time. */
export interface IkCallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** What solveClip yields: ready, then motion and plan parts in order, then the summary. */
export type ClipAnswer =
  | { kind: "ready"; ready: StreamReady }
  | { kind: "motion"; motion: MotionAnswer }
  | { kind: "plan"; part: PlanPart }
  | { kind: "summary"; summary: Summary };

/**
 * A connection to the service through its edge, by gRPC-Web: for browsers and for Node.
 * Requests are the protocol's messages as plain objects, where typed arrays may stand for packed
 * lists; calls throw IkError alone.
 */
export class IkClient {
  readonly #client: Client<typeof IkService>;

  /** `transport` replaces gRPC-Web, for tests and for other protocols. */
  constructor(baseUrl: string, transport: Transport = createGrpcWebTransport({ baseUrl })) {
    this.#client = createClient(IkService, transport);
  }

  /** One motion, answered at once. */
  async solve(request: Input<SolveRequest>, options?: IkCallOptions): Promise<SolveAnswer> {
    const answer = await caught(
      this.#client.solve(message(SolveRequestSchema, request), callOptions(options)),
    );
    return { motion: answer.motion && motionAnswer(answer.motion), summary: answer.summary };
  }

  /** A whole clip, answered in batches. Leaving the loop early cancels the call. */
  async *solveClip(
    request: Input<SolveClipRequest>,
    options?: IkCallOptions,
  ): AsyncGenerator<ClipAnswer, void, undefined> {
    const { signal, leave } = leavable(options?.signal);
    try {
      const input = message(SolveClipRequestSchema, request);
      const call = this.#client.solveClip(input, callOptions({ ...options, signal }));
      for await (const answer of call) {
        const known = clipAnswer(answer);
        if (known) yield known;
      }
    } catch (thrown) {
      throw ikError(thrown);
    } finally {
      leave();
    }
  }

  /** One frame by several solvers, iteration by iteration. */
  async trace(request: Input<TraceRequest>, options?: IkCallOptions): Promise<TraceAnswer[]> {
    const answer = await caught(
      this.#client.trace(message(TraceRequestSchema, request), callOptions(options)),
    );
    return answer.traces.map(traceAnswer);
  }

  /** What the server is and what it takes. */
  info(options?: IkCallOptions): Promise<GetServerInfoResponse> {
    return caught(this.#client.getServerInfo({}, callOptions(options)));
  }
}

function message<Desc extends DescMessage>(schema: Desc, input: object): MessageShape<Desc> {
  return create(schema, unpacked(input) as MessageInitShape<Desc>);
}

function callOptions({ signal, timeoutMs }: IkCallOptions = {}): CallOptions {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

/** A signal that follows `outer` and that `leave` sets: the transport ends no call by itself. */
function leavable(outer?: AbortSignal): { signal: AbortSignal; leave: () => void } {
  const inner = new AbortController();
  const follow = () => inner.abort(outer?.reason);
  if (outer?.aborted) follow();
  outer?.addEventListener("abort", follow);
  const leave = () => {
    outer?.removeEventListener("abort", follow);
    inner.abort();
  };
  return { signal: inner.signal, leave };
}

async function caught<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (thrown) {
    throw ikError(thrown);
  }
}

/** Messages of a newer protocol are passed over. */
function clipAnswer({ message }: SolveClipResponse): ClipAnswer | undefined {
  switch (message.case) {
    case "ready":
      return { kind: "ready", ready: message.value };
    case "motion":
      return { kind: "motion", motion: motionAnswer(message.value) };
    case "planPart":
      return { kind: "plan", part: message.value };
    case "summary":
      return { kind: "summary", summary: message.value };
    default:
      return undefined;
  }
}
