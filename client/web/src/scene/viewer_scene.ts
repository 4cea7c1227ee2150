// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { Vector3 } from "three";
import type { Vector } from "../state/vector";
import type { HandleName, ViewerState } from "../state/viewer_state";
import { Handles } from "./handles";
import { RigView } from "./rig_view";
import { Stage } from "./stage";

/** Shows the rig, its target and its pole. */
export class ViewerScene {
  readonly #stage: Stage;
  readonly #handles: Handles;
  #view: RigView | undefined;
  #target: Vector = [0, 0, 0];

  constructor(canvas: HTMLCanvasElement, moved: (handle: HandleName, to: Vector) => void) {
    this.#stage = new Stage(canvas, () => this.#tell());
    this.#handles = new Handles(this.#stage, moved);
  }

  show(state: ViewerState): void {
    if (this.#view?.rig !== state.rig) this.#replace(new RigView(state.rig));
    this.#view?.pose(state.localRotations);
    this.#target = state.target;
    this.#handles.place("target", state.target);
    this.#handles.place("pole", state.pole);
    this.#stage.redraw();
  }

  #replace(view: RigView): void {
    this.#view?.dispose();
    this.#view = view;
    this.#stage.scene.add(view.root);
  }

  /** Where target and end are drawn, in pixels of the page, for tools that drive it. */
  #tell(): void {
    const { dataset } = this.#stage.canvas;
    dataset.targetAt = this.#pixel(new Vector3(...this.#target));
    if (this.#view) dataset.endAt = this.#pixel(this.#view.end());
  }

  #pixel(point: Vector3): string {
    const box = this.#stage.canvas.getBoundingClientRect();
    const { x, y } = point.project(this.#stage.camera);
    const left = box.left + ((x + 1) / 2) * box.width;
    const top = box.top + ((1 - y) / 2) * box.height;
    return `${left.toFixed(1)},${top.toFixed(1)}`;
  }
}
