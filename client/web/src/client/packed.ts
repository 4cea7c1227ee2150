// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

/**
 * A message as callers give it: any field may be left out, and packed lists may be typed
 * arrays (Float32Array for rotations and positions).
 */
export type Input<T> = T extends string | number | bigint | boolean | Uint8Array | undefined
  ? T
  : T extends number[]
    ? ArrayLike<number>
    : T extends (infer U)[]
      ? readonly Input<U>[]
      : {
          readonly [K in keyof T as K extends "$typeName" | "$unknown" ? never : K]?: Input<
            T[K]
          >;
        };

function isTyped(value: object): value is Float32Array | Float64Array | Int32Array {
  return (
    ArrayBuffer.isView(value) && !(value instanceof Uint8Array) && !(value instanceof DataView)
  );
}

/** The same value with typed arrays as the plain lists that messages hold. */
export function unpacked(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (isTyped(value)) return Array.from(value);
  if (Array.isArray(value)) return typeof value[0] === "number" ? value : value.map(unpacked);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, unpacked(field)]),
  );
}
