# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""From a kind and its settings to files."""

import random
from dataclasses import dataclass, replace

from . import bvh, truth
from .damage import angle_noise, root_offsets
from .kinds import KINDS
from .pose import pose_clip
from .scene import Clip
from .space import Space


@dataclass(frozen=True)
class Settings:
    kind: str
    seed: int = 1
    fps: int = 60
    seconds: float = 4.0
    units: str = "cm"
    up: str = "y"
    skate_mm_s: float = None  # None: the kind's own.
    jitter_deg: float = None
    penetration_mm: float = None
    clean: bool = False  # Write the truth as a BVH, too.


def files(settings):
    """File names and their text."""
    kind = KINDS[settings.kind]
    damage = _damage(kind, settings)
    seconds, count = _length(kind, settings)
    clip = make(settings, seconds, count)
    rows = bvh.channels(clip.skeleton, clip.frames)
    period = seconds if kind.cycle else None
    seed = f"{settings.kind}-{settings.seed}"
    offsets = root_offsets(damage, seed, clip.fps, count, kind.way, period)
    noise = angle_noise(damage, seed, clip.skeleton, clip.limbs, clip.fps, count, period)
    space, name = Space(settings.units, settings.up), settings.kind
    facts = truth.truth(clip, space, damage)
    damaged = bvh.damaged(rows, offsets, noise)
    result = {
        name + ".bvh": bvh.text(clip.skeleton, damaged, clip.fps, space),
        name + ".truth.json": truth.dump(facts),
        name + ".terrain.json": truth.dump(facts["terrain"]),
    }
    if settings.clean:
        result[name + ".clean.bvh"] = bvh.text(clip.skeleton, rows, clip.fps, space)
    if facts["platforms"]:
        moving = {"platforms": facts["platforms"]}
        result[name + ".platforms.json"] = truth.dump(moving)
    mesh = truth.obj(facts["terrain"])
    if mesh:
        result[name + ".obj"] = mesh
    return result


def make(settings, seconds, count):
    rng = random.Random(f"{settings.kind}-{settings.seed}")
    scene = KINDS[settings.kind].build(rng, seconds)
    frames, limbs, platforms = pose_clip(scene, settings.fps, count)
    return Clip(
        settings.kind,
        settings.seed,
        settings.fps,
        scene.skeleton,
        frames,
        limbs,
        scene.surface,
        scene.wall,
        platforms,
    )


def _damage(kind, settings):
    given = {
        key: getattr(settings, key)
        for key in ("skate_mm_s", "jitter_deg", "penetration_mm")
        if getattr(settings, key) is not None
    }
    return replace(kind.damage, **given)


def _length(kind, settings):
    """Seconds and frames; a clip that closes has its first pose again as an extra frame."""
    if kind.cycle:
        cycles = max(1, int(settings.seconds / kind.cycle + 0.5))
        return cycles * kind.cycle, round(cycles * kind.cycle * settings.fps) + 1
    return settings.seconds, round(settings.seconds * settings.fps)
