// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

/**
 * One call at a time, for the newest state. `work` reads that state when it begins; whatever was
 * asked for meanwhile is one more run. `work` handles its own errors.
 */
export class LatestWins {
  #running = false;
  #again = false;

  constructor(readonly work: () => Promise<void>) {}

  ask(): void {
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.work();
      }
    } finally {
      this.#running = false;
    }
  }
}
