# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The kinds of clips. A new kind is one function and one line in KINDS."""

import math
from dataclasses import dataclass, field

from . import gait, ground, rig, vec
from .body import Style
from .damage import Damage
from .feet import FootTrack, Swing
from .gait import Gait
from .scene import HandPlant, Scene

DEG = math.pi / 180.0
WALK = Gait(step_time=0.55, length=0.62)


def _scene(skeleton, plan, surface, swing=None, **more):
    tracks = [
        FootTrack(leg.sole, stances, swing or Swing(brisk=0.4), surface)
        for leg, stances in zip(skeleton.legs, plan)
    ]
    return Scene(skeleton, tracks, surface, **more)


def walk_flat(rng, seconds):
    turn = 0.15 * (2.0 * rng.random() - 1.0)
    plan = gait.walk(WALK, seconds, rng, turn, wander=0.04)
    return _scene(rig.human(), plan, ground.Plane())


def walk_slope(rng, seconds):
    normal = (-math.tan(3.0 * DEG), 1.0, -math.tan(8.0 * DEG))
    plan = gait.walk(Gait(step_time=0.6, length=0.56), seconds, rng, wander=0.04)
    return _scene(rig.human(), plan, ground.Plane(normal=normal))


def stairs(rng, seconds):
    """Up, a landing of three treads, and down."""
    rise, run = 0.17, 0.30
    steps = Gait(
        step_time=0.65,
        length=run,
        half_width=0.10,
        roll_down=0.0,
        heel_angle=0.0,
        toe_angle=30.0 * DEG,
        toe_out=3.0 * DEG,
    )
    first, last = gait.steps_over(steps, seconds)
    up = max(3, int(seconds / steps.step_time) // 2 - 1)
    levels = [rise * max(0, min(n - 1, up, 2 * up + 4 - n)) for n in range(first, last + 1)]
    surface = ground.staircase(levels, run, first * run, half_width=0.6)
    plan = gait.stair_walk(steps, seconds, levels, run)
    return _scene(rig.human(), plan, surface, Swing(lift=0.05, brisk=0.5, steps=True))


def rough(rng, seconds):
    steps = Gait(step_time=0.6, length=0.56, half_width=0.10)
    plan = gait.walk(steps, seconds, rng, wander=0.08)
    spots = [stance for foot in plan for stance in foot]
    xs, zs = [s.x for s in spots], [s.z for s in spots]
    x_range = (round(min(xs) - 1.0, 1), round(max(xs) + 1.0, 1))
    z_range = (round(min(zs) - 1.0, 1), round(max(zs) + 1.0, 1))
    surface = ground.rough(rng, x_range, z_range)
    return _scene(rig.human(), plan, surface, Swing(lift=0.07, brisk=0.4))


def platform(rng, seconds):
    """A walk in a curve on a platform that swings, turns and tilts a little."""
    steps = Gait(
        step_time=0.62, length=0.38, roll_down=0.09, heel_angle=18.0 * DEG, toe_angle=30.0 * DEG
    )
    plan = gait.walk(steps, seconds, rng, turn=0.5, wander=0.05)
    phases = [2.0 * math.pi * rng.random() for _ in range(5)]

    def carry(t):
        a, b, c, d, e = (
            math.sin(2.0 * math.pi * hz * t + phase)
            for hz, phase in zip((0.10, 0.17, 0.13, 0.09, 0.20), phases)
        )
        turn = vec.matmul(vec.rotation("Y", 0.5 * d), vec.rotation("Z", 3.0 * DEG * e))
        return (0.5 * a, 0.06 * b, 0.3 * c), turn

    swing = Swing(brisk=0.6, toe_up_lead=0.08)
    return _scene(rig.human(), plan, ground.Plane(), swing, platform=carry)


def turn_in_place(rng, seconds):
    steps = Gait(
        step_time=0.6,
        length=0.0,
        half_width=0.13,
        duty=0.64,
        roll_down=0.0,
        heel_angle=0.0,
        toe_angle=20.0 * DEG,
        heel_off=0.6,
    )
    direction = 1.0 if rng.random() < 0.5 else -1.0
    plan = gait.turn_in_place(steps, seconds, direction * 45.0 * DEG)
    return _scene(rig.human(), plan, ground.Plane(), Swing(lift=0.07, brisk=1.0))


def run(rng, seconds):
    """2.6 m/s, on the ground for a third of the cycle, landing on the whole foot."""
    steps = Gait(
        step_time=0.36,
        length=0.94,
        half_width=0.06,
        duty=0.36,
        roll_down=0.0,
        heel_angle=0.0,
        toe_angle=62.0 * DEG,
        heel_off=0.5,
    )
    plan = gait.walk(steps, seconds, rng, wander=0.02)
    style = Style(
        stand=0.96,
        bounce=0.12,
        tilt=6.0 * DEG,
        lean=6.0 * DEG,
        twist=0.18,
        elbow=82.0 * DEG,
        ahead=0.12,
        arm_swing=0.9,
        arm_hang=74.0 * DEG,
    )
    swing = Swing(lift=0.20, brisk=0.7, toe_off_lag=0.08, toe_up_lead=0.10)
    return _scene(rig.human(), plan, ground.Plane(), swing, style=style)


def ledge(rng, seconds):
    """One foot goes out over an edge, hangs there slowly below its level, and returns."""
    del rng
    left = [gait.planted(0.10, 0.16, 6.0 * DEG)]
    out, back = 0.2 * seconds, 0.68 * seconds
    hang = 0.5 * (out + back)
    right = [
        gait.planted(-0.10, 0.14, -6.0 * DEG, until=out, toe_angle=20.0 * DEG),
        gait.planted(-0.11, 0.44, -6.0 * DEG, since=out + 0.6, until=hang, air=-0.03),
        gait.planted(-0.13, 0.47, -6.0 * DEG, since=back - 0.2, until=back, air=-0.09),
        gait.planted(-0.10, 0.14, -6.0 * DEG, since=back + 0.6),
    ]
    surface = ground.ledge(edge_z=0.25, half_width=1.5, depth=3.0, drop=1.0)
    style = Style(sway=0.85)
    return _scene(
        rig.human(), [left, right], surface, Swing(brisk=0.4, steps=True), style=style
    )


def still(rng, seconds):
    """Both feet planted, the body swaying by 2 cm over straight legs."""
    del seconds
    plan = gait.stand(0.10, 8.0 * DEG)
    return _scene(
        rig.human(),
        plan,
        ground.Plane(),
        style=Style(reach=0.992, stand=0.995),
        sway=_sway(rng, 0.02, 0.01),
    )


def hands(rng, seconds):
    """Standing; the left hand leans on a wall for half of the time."""
    wall, z = ground.Mesh(), 0.43
    wall.quad((1.5, 0.0, z), (-1.5, 0.0, z), (-1.5, 2.2, z), (1.5, 2.2, z))
    palm = vec.from_columns((0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0))
    plant = HandPlant(1.0, (0.24, 1.30, 0.40), palm, 0.25 * seconds, 0.75 * seconds)
    return _scene(
        rig.human(),
        gait.stand(0.10, 8.0 * DEG, z=0.10),
        ground.Plane(),
        sway=_sway(rng, 0.02, 0.03),
        hands=[plant],
        wall=wall,
    )


def quadruped(rng, seconds):
    steps = Gait(
        step_time=0.6,
        length=0.56,
        half_width=0.12,
        duty=0.66,
        roll_down=0.0,
        heel_angle=0.0,
        toe_angle=35.0 * DEG,
        heel_off=0.7,
        toe_out=0.0,
    )
    plan = gait.four_beat(steps, seconds, -0.525, 0.525, rng, 0.01)
    style = Style(
        tilt=0.0,
        twist=0.0,
        sway=0.2,
        ahead=0.0,
        roll=1.5 * DEG,
        smooth=0.2,
        settle=0.07,
    )
    return _scene(rig.pony(), plan, ground.Plane(), Swing(lift=0.06, brisk=0.25), style=style)


LOOP = Gait(step_time=0.6, length=0.64)


def loop(rng, seconds):
    """A straight, regular walk: the last frame's pose is the first one's, further on."""
    del rng
    return _scene(rig.human(), gait.walk(LOOP, seconds), ground.Plane())


def _sway(rng, x, z):
    phases = [2.0 * math.pi * rng.random() for _ in range(2)]

    def sway(t):
        a, b = (math.sin(2.0 * math.pi * hz * t + p) for hz, p in zip((0.27, 0.41), phases))
        return (x * a, 0.0, z * b)

    return sway


@dataclass(frozen=True)
class Kind:
    build: object
    damage: Damage = field(default_factory=Damage)
    way: tuple = (0.0, 1.0)  # Of the steady part of the skate: (x, z).
    cycle: float = 0.0  # The clip is a whole number of these, and closes.


KINDS = {
    "walk_flat": Kind(walk_flat, Damage(steady_share=0.7)),
    "walk_slope": Kind(walk_slope),
    "stairs": Kind(stairs),
    "rough": Kind(rough),
    "platform": Kind(platform),
    "turn_in_place": Kind(turn_in_place),
    "run": Kind(run, Damage(skate_mm_s=60.0, steady_share=0.7)),
    "ledge": Kind(ledge),
    "hands": Kind(hands),
    # Its forelegs end a chain of eight joints: the same tremor of each would be too much.
    "quadruped": Kind(quadruped, Damage(jitter_deg=0.2)),
    "still": Kind(still),
    "loop": Kind(loop, Damage(steady_share=0.7), cycle=LOOP.cycle),
}
