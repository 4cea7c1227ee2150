// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "./gen/google/rpc/error_details_pb";

/** A field that the server refuses: its path in the request, and why. */
export interface FieldViolation {
  field: string;
  description: string;
}

/** What IkError.code may be: gRPC's codes by name. */
export type IkErrorCode = keyof typeof Code;

/** Every error of IkClient's calls. */
export class IkError extends Error {
  override readonly name = "IkError";

  constructor(
    readonly code: IkErrorCode,
    message: string,
    readonly fields: FieldViolation[] = [],
    /** When a full server asks to be called again. Unset: it does not. */
    readonly retryAfterMs?: number,
    /** ErrorInfo.reason, such as DRAINING. */
    readonly reason?: string,
  ) {
    super(message);
  }
}

function retryDelay(error: ConnectError): number | undefined {
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  return delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6;
}

/** fetch tells a server that cannot be reached by a TypeError. */
function unreachable(error: ConnectError): boolean {
  return error.cause instanceof TypeError;
}

/** Whatever a call threw, as IkError. */
export function ikError(thrown: unknown): IkError {
  if (thrown instanceof IkError) return thrown;
  const error = ConnectError.from(thrown);
  if (unreachable(error)) return new IkError("Unavailable", "the server cannot be reached");
  const fields = error
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations)
    .map(({ field, description }) => ({ field, description }));
  const reason = error.findDetails(ErrorInfoSchema)[0]?.reason;
  const code = Code[error.code] as IkErrorCode;
  return new IkError(code, error.rawMessage, fields, retryDelay(error), reason);
}
