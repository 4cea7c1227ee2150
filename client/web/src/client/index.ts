// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

/** The TypeScript client of ikstream: no DOM, no rendering. */
export type { ChainAnswer, MotionAnswer, SolveAnswer, TraceAnswer } from "./answers";
export { IkError, type FieldViolation, type IkErrorCode } from "./errors";
export { ChainResult_Status as Status } from "./gen/ikstream/v1/motion_pb";
export { Pole_Kind as PoleKind, type Rig } from "./gen/ikstream/v1/rig_pb";
export {
  Mode,
  type GetServerInfoResponse,
  type SolveClipRequest,
  type SolveRequest,
  type TraceRequest,
} from "./gen/ikstream/v1/service_pb";
export { IkClient, type ClipAnswer, type IkCallOptions } from "./ik_client";
export type { Input } from "./packed";
