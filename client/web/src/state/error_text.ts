// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { IkError } from "../client";

/** A sentence for the page. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof IkError)) return `The viewer failed: ${String(thrown)}`;
  switch (thrown.code) {
    case "Unavailable":
      return `The server is away (${thrown.message}). Trying again.`;
    case "DeadlineExceeded":
      return "The server did not answer in time. Trying again.";
    case "ResourceExhausted":
      return `The server is full or the request too large: ${thrown.message}`;
    default:
      return `The server refuses this: ${thrown.message}`;
  }
}

/** Whether the same call may succeed later. */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof IkError && ["Unavailable", "DeadlineExceeded"].includes(thrown.code);
}
