// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import {
  Mesh,
  MeshStandardMaterial,
  Plane,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import type { Vector } from "../state/vector";
import type { HandleName } from "../state/viewer_state";
import type { Stage } from "./stage";

const COLOURS: Record<HandleName, number> = { target: 0xff9c3d, pole: 0x6fd08c };

/** The points that the mouse drags, in the plane that faces the camera. */
export class Handles {
  readonly #meshes = new Map<HandleName, Mesh>();
  readonly #ray = new Raycaster();
  readonly #plane = new Plane();
  #dragged: HandleName | undefined;

  constructor(
    readonly stage: Stage,
    readonly moved: (handle: HandleName, to: Vector) => void,
  ) {
    for (const name of ["target", "pole"] as const) this.#add(name);
    const { canvas } = stage;
    // Before the camera's own listener, which must not turn the view meanwhile.
    canvas.addEventListener("pointerdown", (event) => this.#down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, () => this.#up());
    }
  }

  /** Without a place the handle is hidden. */
  place(name: HandleName, at: Vector | undefined): void {
    const mesh = this.#meshes.get(name);
    if (!mesh) return;
    mesh.visible = at !== undefined;
    if (at) mesh.position.set(...at);
  }

  #add(name: HandleName): void {
    const material = new MeshStandardMaterial({
      color: COLOURS[name],
      transparent: true,
      opacity: 0.8,
    });
    const mesh = new Mesh(new SphereGeometry(0.045, 24, 16), material);
    mesh.name = name;
    this.#meshes.set(name, mesh);
    this.stage.scene.add(mesh);
  }

  #aim(event: PointerEvent): void {
    const box = this.stage.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    this.#ray.setFromCamera(new Vector2(x, y), this.stage.camera);
  }

  #down(event: PointerEvent): void {
    this.#aim(event);
    const shown = [...this.#meshes.values()].filter((mesh) => mesh.visible);
    const [hit] = this.#ray.intersectObjects(shown, false);
    if (!hit) return;
    this.#dragged = hit.object.name as HandleName;
    this.stage.orbit.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    this.#plane.setFromNormalAndCoplanarPoint(facing, hit.object.position);
  }

  #move(event: PointerEvent): void {
    if (!this.#dragged) return;
    this.#aim(event);
    const at = this.#ray.ray.intersectPlane(this.#plane, new Vector3());
    if (at) this.moved(this.#dragged, [at.x, at.y, at.z]);
  }

  #up(): void {
    this.#dragged = undefined;
    this.stage.orbit.enabled = true;
  }
}
