# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""What a kind of clip is made of, and what a finished clip holds."""

from dataclasses import dataclass, field

from .body import Style


def _still(_):
    return (0.0, 0.0, 0.0)


@dataclass
class HandPlant:
    """A hand that comes to rest at a point, and leaves it."""

    side: float
    point: tuple
    rotation: tuple  # Of the hand's joint while it is planted.
    begin: float
    end: float
    approach: float = 0.5  # Seconds from free to planted, and back.


@dataclass
class Scene:
    skeleton: object
    tracks: list  # A FootTrack per leg of the skeleton.
    surface: object
    style: Style = field(default_factory=Style)
    sway: object = _still  # The pelvis' own way over the feet, metres, by time.
    hands: list = field(default_factory=list)
    platform: object = None  # time -> (position, rotation): carries everything.
    wall: object = None  # A mesh that no foot stands on.


@dataclass
class Frame:
    """A pose: the root's place, and each joint's local rotation."""

    root: tuple
    local: list


@dataclass
class Limb:
    """The truth about one foot or hand."""

    name: str
    kind: str  # "foot" or "hand".
    joints: dict  # "hip", "knee", "ankle" and perhaps "toe": names of joints.
    sole: dict  # Heights over the ground while it stands: "ankle", "toe", "tip".
    points: dict  # The same keys: a position per frame.
    planted: dict  # The same keys: intervals [begin, end) in which the point rests.
    contacts: list  # Intervals in which the limb is planted: those of its anchor.


@dataclass
class Clip:
    kind: str
    seed: int
    fps: int
    skeleton: object
    frames: list
    limbs: list
    surface: object
    wall: object
    platforms: list  # (position, rotation) per frame, or empty.
