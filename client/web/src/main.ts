// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import { IkClient } from "./client";
import { ViewerScene } from "./scene/viewer_scene";
import { presets } from "./state/presets";
import { Session } from "./state/session";
import { Store, type HandleName } from "./state/viewer_state";
import { moved } from "./ui/keys";
import { Panel } from "./ui/panel";

function onKeys(canvas: HTMLCanvasElement, session: Session): void {
  const choice = document.querySelector<HTMLSelectElement>("#handle");
  canvas.addEventListener("keydown", (event) => {
    const handle: HandleName = choice?.value === "pole" ? "pole" : "target";
    const from = session.store.state[handle];
    const to = from && moved(from, event.key, event.shiftKey);
    if (!to) return;
    event.preventDefault();
    session.move(handle, to);
  });
}

function main(): void {
  const [rig] = presets;
  const canvas = document.querySelector<HTMLCanvasElement>("#view");
  if (!rig || !canvas) throw new Error("the page lacks #view");
  // The edge that served this page takes the calls too.
  const session = new Session(new IkClient(location.origin), new Store(rig));
  const scene = new ViewerScene(canvas, (handle, to) => session.move(handle, to));
  const panel = new Panel(session);
  session.store.subscribe((state) => scene.show(state));
  session.store.subscribe((state) => panel.show(state));
  onKeys(canvas, session);
  void session.start();
}

main();
