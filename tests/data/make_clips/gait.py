# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Footstep plans: who steps when and where, before the ground is known."""

import math
from dataclasses import dataclass

from .feet import Stance

# Plans run past both ends of the clip, so that smoothing sees no end.
MARGIN = 1.25
LONG = 1000.0


@dataclass(frozen=True)
class Gait:
    step_time: float  # From one foot's strike to the other's.
    length: float  # From one foot to the other, along the heading.
    half_width: float = 0.085
    duty: float = 0.62  # The share of a cycle that a foot is on the ground.
    roll_down: float = 0.11  # From the strike to the flat foot, seconds.
    heel_off: float = 0.45  # The share of the stance after which the heel rises.
    heel_angle: float = math.radians(18.0)
    toe_angle: float = math.radians(48.0)
    toe_out: float = math.radians(6.0)

    @property
    def cycle(self):
        return 2.0 * self.step_time

    def stance(self, strike, x, z, heading, side):
        on_ground = self.duty * self.cycle
        return Stance(
            strike=strike,
            flat=strike + self.roll_down,
            heel_off=strike + self.heel_off * on_ground,
            lift_off=strike + on_ground,
            x=x,
            z=z,
            heading=heading,
            toe_out=side * self.toe_out,
            heel_angle=self.heel_angle,
            toe_angle=self.toe_angle,
        )


def left_of(heading):
    return (math.cos(heading), -math.sin(heading))


def steps_over(gait, seconds):
    """The numbers of the first and last step that the clip and its margins need."""
    first = -math.ceil((MARGIN + gait.cycle) / gait.step_time)
    last = math.ceil((seconds + MARGIN + gait.cycle) / gait.step_time)
    return first, last


def walk(gait, seconds, rng=None, turn=0.0, wander=0.0):
    """Stances of the left and right foot on a path that turns by `turn` a second.

    Step n is at about n * length; with `rng`, lengths and widths vary by `wander`.
    """
    first, last = steps_over(gait, seconds)
    feet, x, z = ([], []), 0.0, 0.0
    heading = first * gait.step_time * turn
    x, z = first * gait.length * math.sin(heading), first * gait.length * math.cos(heading)
    for n in range(first, last + 1):
        side = 1.0 if n % 2 == 0 else -1.0
        width = gait.half_width * (1.0 + _vary(rng, wander))
        lx, lz = left_of(heading)
        stance = gait.stance(
            n * gait.step_time, x + side * width * lx, z + side * width * lz, heading, side
        )
        feet[n % 2].append(stance)
        length = gait.length * (1.0 + _vary(rng, wander))
        x += length * math.sin(heading)
        z += length * math.cos(heading)
        heading += gait.step_time * turn
    return list(feet)


def _vary(rng, amount):
    return amount * (2.0 * rng.random() - 1.0) if rng else 0.0


def turn_in_place(gait, seconds, angle):
    """Steps on the spot, each turning the body by `angle`."""
    first, last = steps_over(gait, seconds)
    feet = ([], [])
    for n in range(first, last + 1):
        side = 1.0 if n % 2 == 0 else -1.0
        heading = n * angle
        lx, lz = left_of(heading)
        forward = -0.08  # The ball turns about a point under the ankles.
        x = side * gait.half_width * lx - forward * math.sin(heading)
        z = side * gait.half_width * lz - forward * math.cos(heading)
        feet[n % 2].append(gait.stance(n * gait.step_time, x, z, heading, side))
    return list(feet)


def stair_walk(gait, seconds, levels, run):
    """One foot on each tread: its depth in front of the ball leaves room for the tip."""
    first, last = steps_over(gait, seconds)
    feet = ([], [])
    for n in range(first, last + 1):
        side = 1.0 if n % 2 == 0 else -1.0
        stance = gait.stance(
            n * gait.step_time, side * gait.half_width, n * run + 0.20, 0.0, side
        )
        feet[n % 2].append(stance)
    return list(feet)


def stand(half_width, toe_out, z=0.0):
    """Both feet planted for good."""
    return [[planted(side * half_width, z, side * toe_out)] for side in (1.0, -1.0)]


def planted(x, z, toe_out, since=-LONG, until=LONG, **more):
    """A flat foot that stays: it comes and goes without a roll unless told."""
    return Stance(
        strike=since,
        flat=since,
        heel_off=until - min(0.25, 0.5 * (until - since)),
        lift_off=until,
        x=x,
        z=z,
        heading=0.0,
        toe_out=toe_out,
        **more,
    )


def four_beat(gait, seconds, hind_z, front_z, rng, wander):
    """A walk on four feet in lateral sequence, in the skeleton's order of legs.

    The hind foot lands near the print that the front foot of its side leaves.
    """
    stride = 2.0 * gait.length
    cycles = math.ceil((seconds + MARGIN) / gait.cycle) + 2
    feet = []
    for side, hind_phase in ((1.0, 0.0), (-1.0, 0.5)):
        for start_z, phase in ((hind_z, hind_phase), (front_z, hind_phase + 0.25)):
            stances = []
            for n in range(-3, cycles):
                strike = (n + phase) * gait.cycle
                # Half a stance after the strike the foot is under its hip or shoulder.
                z = start_z + stride * (n + phase + 0.5 * gait.duty)
                z += stride * _vary(rng, wander)
                stances.append(gait.stance(strike, side * gait.half_width, z, 0.0, side))
            feet.append(stances)
    return feet
