// SPDX-License-Identifier: Apache-2.0
// Copyright The ikstream authors

import {
  ConeGeometry,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { ViewerRig } from "../state/rig";

const UP = new Vector3(0, 1, 0);

function boneMesh(offset: Vector3, material: MeshStandardMaterial): Mesh {
  const length = offset.length();
  const geometry = new ConeGeometry(Math.min(0.22 * length, 0.045), length, 12);
  geometry.translate(0, length / 2, 0);
  const mesh = new Mesh(geometry, material);
  mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, offset.clone().normalize()));
  return mesh;
}

/** Draws a rig; three.js turns the joints' local rotations into positions. */
export class RigView {
  readonly root = new Group();
  readonly #joints: Group[] = [];
  readonly #bone = new MeshStandardMaterial({ color: 0x8fb3d9, roughness: 0.6 });
  readonly #ball = new MeshStandardMaterial({ color: 0xe6ebf2, roughness: 0.5 });

  constructor(readonly rig: ViewerRig) {
    for (const { parent, offset } of rig.joints) {
      const joint = new Group();
      joint.position.set(...offset);
      joint.add(new Mesh(new SphereGeometry(0.022, 20, 12), this.#ball));
      const above = parent === undefined ? undefined : this.#joints[parent];
      if (above) above.add(boneMesh(joint.position, this.#bone));
      (above ?? this.root).add(joint);
      this.#joints.push(joint);
    }
  }

  /** x y z w per joint. */
  pose(localRotations: Float32Array): void {
    this.#joints.forEach((joint, index) =>
      joint.quaternion.fromArray(localRotations, 4 * index),
    );
  }

  /** Where the last joint is drawn. */
  end(): Vector3 {
    return this.#joints.at(-1)?.getWorldPosition(new Vector3()) ?? new Vector3();
  }

  dispose(): void {
    this.root.removeFromParent();
    this.root.traverse((object) => object instanceof Mesh && object.geometry.dispose());
    this.#bone.dispose();
    this.#ball.dispose();
  }
}
