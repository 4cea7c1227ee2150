// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Canvas, camera and lights. Draws once per frame at most, and only where something changed. */
export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 100);
  readonly orbit: OrbitControls;
  readonly #renderer: WebGLRenderer;
  #asked = false;

  /** `drawn` is called after each picture. */
  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly drawn: () => void,
  ) {
    this.#renderer = new WebGLRenderer({ canvas, antialias: true });
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.camera.position.set(1.6, 1.2, 2.6);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.target.set(0, 0.5, 0);
    this.orbit.addEventListener("change", () => this.redraw());
    this.orbit.update();
    this.#furnish();
    new ResizeObserver(() => this.#resize()).observe(canvas);
  }

  redraw(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#asked = false;
    this.#renderer.render(this.scene, this.camera);
    this.drawn();
  }

  #furnish(): void {
    this.scene.background = new Color(0x15181d);
    const sun = new DirectionalLight(0xffffff, 2.5);
    sun.position.set(2, 4, 3);
    this.scene.add(
      sun,
      new AmbientLight(0xffffff, 0.8),
      new GridHelper(4, 16, 0x4a5260, 0x2b313a),
    );
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.redraw();
  }
}
