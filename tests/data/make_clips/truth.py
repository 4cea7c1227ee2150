# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The truth as JSON: compact, a line per field, in the clip's own units and axes."""

import json

from . import vec
from .rig import LEG

PLATFORM = "platform"


def terrain(clip, space):
    """The ground as an ikstream.v1.Terrain in proto JSON."""
    if clip.platforms:
        return clip.surface.terrain(space, PLATFORM)
    merged = {}
    for part in (clip.surface, clip.wall):
        for key, value in (part.terrain(space) if part else {}).items():
            merged.setdefault(key, []).extend(value)
    return merged


def truth(clip, space, damage):
    return {
        "kind": clip.kind,
        "seed": clip.seed,
        "fps": clip.fps,
        "frames": len(clip.frames),
        "units": space.units,
        "units_per_metre": space.per_metre,
        "up": "+" + space.up.upper(),
        "leg_length": space.length(LEG),
        "damage": {
            "skate_mm_s": damage.skate_mm_s,
            "jitter_deg": damage.jitter_deg,
            "penetration_mm": damage.penetration_mm,
        },
        "terrain": terrain(clip, space),
        "platforms": _platforms(clip, space),
        "root": _flat(space, (frame.root for frame in clip.frames)),
        "limbs": [_limb(limb, space) for limb in clip.limbs],
    }


def _flat(space, points):
    return [x for point in points for x in space.point(point)]


def _platforms(clip, space):
    if not clip.platforms:
        return []
    rotations = [x for _, r in clip.platforms for x in space.quaternion(vec.quaternion(r))]
    positions = _flat(space, (p for p, _ in clip.platforms))
    return [{"id": PLATFORM, "positions": positions, "rotations": rotations}]


def _limb(limb, space):
    return {
        "name": limb.name,
        "kind": limb.kind,
        "joints": limb.joints,
        "sole": {key: space.length(h) for key, h in limb.sole.items()},
        "contacts": limb.contacts,
        "planted": limb.planted,
        "positions": {key: _flat(space, track) for key, track in limb.points.items()},
    }


def dump(value):
    """Compact JSON, but with a line for each field of the outer two levels."""
    return _dump(value, 2) + "\n"


def _dump(value, depth):
    if depth and isinstance(value, dict) and value:
        inner = [json.dumps(k) + ":" + _dump(v, depth - 1) for k, v in value.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    if depth and isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(_dump(v, depth) for v in value) + "\n]"
    return json.dumps(value, separators=(",", ":"))


def obj(terrain_):
    """Meshes of a terrain as a Wavefront OBJ, or None where it has none."""
    lines, base = [], 1
    for mesh in terrain_.get("meshes", []):
        p, t = mesh["positions"], mesh["triangles"]
        lines += ["v {} {} {}".format(*p[i : i + 3]) for i in range(0, len(p), 3)]
        faces = [[base + k for k in t[i : i + 3]] for i in range(0, len(t), 3)]
        lines += ["f {} {} {}".format(*face) for face in faces]
        base += len(p) // 3
    return "\n".join(lines) + "\n" if lines else None
