// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { defineConfig } from "vitest/config";

// `npm run dev` sends calls to the edge of a running deploy/run.
const edge = "http://127.0.0.1:8080";

export default defineConfig({
  server: { host: "127.0.0.1", proxy: { "/ikstream.v1.IkService": edge } },
  // three.js alone is larger than the default limit.
  build: { chunkSizeWarningLimit: 1000, modulePreload: { polyfill: false } },
  test: { include: ["tests/**/*.test.ts"] },
});
