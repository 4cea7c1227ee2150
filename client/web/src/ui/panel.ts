// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { Status } from "../client";
import { endPosition } from "../state/forward";
import { presets } from "../state/presets";
import type { Session } from "../state/session";
import { text } from "../state/vector";
import type { ViewerState } from "../state/viewer_state";

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page lacks #${id}`);
}

function fill(
  select: HTMLSelectElement,
  names: readonly { name: string; text?: string }[],
): void {
  const options = names.map(({ name, text: title }) => {
    const option = new Option(name, name);
    if (title) option.title = title;
    return option;
  });
  select.replaceChildren(...options);
}

/** Text that changes only where it differs, so that screen readers say nothing twice. */
function write(target: HTMLElement, words: string): void {
  if (target.textContent !== words) target.textContent = words;
}

/** The choices and the figures beside the picture. */
export class Panel {
  readonly #rig = element("rig", HTMLSelectElement);
  readonly #solver = element("solver", HTMLSelectElement);
  readonly #about = element("about", HTMLElement);
  readonly #handle = element("handle", HTMLSelectElement);
  readonly #error = element("error", HTMLElement);
  readonly #server = element("server", HTMLElement);
  readonly #status = element("status", HTMLElement);
  readonly #figures = ["iterations", "residual", "round-trip", "target", "end"].map((id) =>
    element(id, HTMLElement),
  );
  #listed: ViewerState["solvers"] = [];

  constructor(session: Session) {
    fill(this.#rig, presets);
    const chosen = () => presets.find((rig) => rig.name === this.#rig.value);
    const restart = () => {
      const rig = chosen();
      if (rig) session.chooseRig(rig);
    };
    this.#rig.addEventListener("change", restart);
    element("reset", HTMLButtonElement).addEventListener("click", restart);
    this.#solver.addEventListener("change", () => session.chooseSolver(this.#solver.value));
  }

  show(state: ViewerState): void {
    this.#list(state);
    this.#rig.value = state.rig.name;
    this.#showPole(state.pole !== undefined);
    write(this.#server, state.server || "no answer yet");
    write(this.#error, state.error);
    this.#error.hidden = state.error === "";
    write(this.#status, state.outcome ? Status[state.outcome.status].toLowerCase() : "-");
    this.#figures.forEach((figure, index) => write(figure, figures(state)[index] ?? ""));
  }

  /** Not every rig has a pole to speak of. */
  #showPole(has: boolean): void {
    for (const part of document.querySelectorAll<HTMLElement>("[data-pole]")) part.hidden = !has;
    if (!has) this.#handle.value = "target";
  }

  #list({ solvers, solver }: ViewerState): void {
    if (solvers !== this.#listed) fill(this.#solver, solvers);
    this.#listed = solvers;
    this.#solver.value = solver;
    write(this.#about, solvers.find(({ name }) => name === solver)?.text ?? "");
  }
}

/** In the order of Panel.#figures. */
function figures({ outcome, rig, target, localRotations }: ViewerState): string[] {
  const told = outcome
    ? [
        `${outcome.iterations}`,
        outcome.residual.toExponential(1),
        `${outcome.roundTripMs.toFixed(1)} ms`,
      ]
    : ["-", "-", "-"];
  return [...told, text(target), text(endPosition(rig, localRotations))];
}
