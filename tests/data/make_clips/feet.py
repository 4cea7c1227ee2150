# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Foot trajectories from a footstep plan.

A stance is a foot that rests on its ground. It lands on the heel and rolls onto the sole, then
the heel leaves and the foot rolls over the ball. While it swings, the foot moves from rolling
over the last ball to rolling over the next heel: both are rigid motions that share one pitch,
so the blend between them starts and ends with exactly the speed of the roll.
"""

from bisect import bisect_right
from dataclasses import dataclass, field

from . import curves, ground, vec


@dataclass
class Stance:
    """One foot's stay at one place, and how it comes and goes. Times in seconds."""

    strike: float  # The heel touches.
    flat: float  # The ball stands: the contact begins.
    heel_off: float
    lift_off: float  # The ball leaves: the contact ends.
    x: float
    z: float
    heading: float
    toe_out: float
    heel_angle: float = 0.0  # Toes up at the strike.
    toe_angle: float = 0.0  # Heel up at lift-off.
    air: float = None  # Not on the ground: the ball's height.
    # Set by settle().
    ball: tuple = None
    heel: tuple = None
    ankle: tuple = None
    normal: tuple = vec.UP
    tilt: float = 0.0  # The sole's pitch against the normal's frame, to lie on the ground.
    toe_bend: float = 0.0

    @property
    def yaw(self):
        return self.heading + self.toe_out


@dataclass
class Swing:
    """How feet travel: lift is raised where the ground is in the way."""

    lift: float = 0.05
    brisk: float = 0.0  # The share of the profile that starts with an acceleration.
    toe_up_lead: float = 0.06  # Toes are up this long before the heel touches.
    toe_off_lag: float = 0.03  # The heel goes on rising so long after lift-off.
    steps: bool = False  # Climb before advancing, and advance before descending.


@dataclass
class FootPose:
    ankle: tuple
    rotation: tuple
    toe_bend: float
    base: tuple  # Where the flat ankle would be: without roll and lift.
    heading: float
    support: float


@dataclass
class FootTrack:
    sole: object
    stances: list
    swing: Swing
    surface: object
    lifts: list = field(default_factory=list)  # Per swing; filled here.

    def __post_init__(self):
        for stance in self.stances:
            settle(stance, self.sole, self.surface)
        self._starts = [stance.strike for stance in self.stances]
        self._keys = self._pitch_keys()
        self._key_times = [t for t, _ in self._keys]
        for a, b in zip(self.stances, self.stances[1:]):
            hovers = a.air is not None and b.air is not None
            self.lifts.append(0.0 if hovers else self.swing.lift)
        for i in range(len(self.lifts)):
            self._raise_over_ground(i)

    def sample(self, t):
        i = max(0, bisect_right(self._starts, t) - 1)
        stance = self.stances[i]
        if t <= stance.lift_off or i + 1 == len(self.stances):
            return self._stand(stance, t)
        return self._travel(i, t)

    def points(self, pose):
        """Ankle, ball and tip (None where the foot has none) of a pose."""
        ball = vec.add(pose.ankle, vec.mul(pose.rotation, self.sole.ball))
        if self.sole.tip is None:
            return pose.ankle, ball, None
        toe = vec.matmul(pose.rotation, vec.rotation("X", pose.toe_bend))
        return pose.ankle, ball, vec.add(ball, vec.mul(toe, self.sole.tip))

    def _pitch_keys(self):
        keys = []
        for s in self.stances:
            keys.append((s.strike - self.swing.toe_up_lead, -s.heel_angle))
            keys.append((s.flat, 0.0))
            keys.append((s.heel_off, 0.0))
            keys.append((s.lift_off + self.swing.toe_off_lag, s.toe_angle))
        if any(a[0] >= b[0] for a, b in zip(keys, keys[1:])):
            raise ValueError("the plan's phases overlap")
        return keys

    def _pitch(self, t):
        k = bisect_right(self._key_times, t)
        if k == 0 or k == len(self._keys):
            return self._keys[max(0, k - 1)][1]
        (t0, v0), (t1, v1) = self._keys[k - 1], self._keys[k]
        return v0 + (v1 - v0) * curves.ease((t - t0) / (t1 - t0))

    def _stand(self, stance, t):
        pitch = self._pitch(t)
        rotation = sole_frame(stance.yaw, stance.normal, stance.tilt + pitch)
        toe_bend = stance.toe_bend
        if pitch >= 0.0:
            ankle = vec.sub(stance.ball, vec.mul(rotation, self.sole.ball))
            toe_bend -= pitch
        else:
            ankle = vec.sub(stance.heel, vec.mul(rotation, self.sole.heel))
        support = 0.0 if stance.air is not None else 1.0
        return FootPose(ankle, rotation, toe_bend, stance.ankle, stance.heading, support)

    def _travel(self, i, t):
        a, b = self.stances[i], self.stances[i + 1]
        duration = b.strike - a.lift_off
        u = (t - a.lift_off) / duration
        s, rise = self._progress(u, b.ankle[1] - a.ankle[1])
        pitch = self._pitch(t)
        normal = vec.unit(vec.lerp(a.normal, b.normal, s))
        tilt = a.tilt + (b.tilt - a.tilt) * s
        rotation = sole_frame(a.yaw + (b.yaw - a.yaw) * s, normal, tilt + pitch)
        start = vec.sub(a.ball, vec.mul(rotation, self.sole.ball))
        end = vec.sub(b.heel, vec.mul(rotation, self.sole.heel))
        ankle = vec.lerp(start, end, s)
        height = start[1] + (end[1] - start[1]) * rise + self.lifts[i] * curves.hump(u)
        # The toes stay on the ground at first, and are straight well before the strike.
        straighten = curves.ease(u / 0.6)
        toe_bend = a.toe_bend + (b.toe_bend - a.toe_bend) * s
        toe_bend -= max(0.0, pitch) * (1.0 - straighten)
        return FootPose(
            (ankle[0], height, ankle[2]),
            rotation,
            toe_bend,
            vec.lerp(a.ankle, b.ankle, s),
            a.heading + (b.heading - a.heading) * s,
            0.0,
        )

    def _progress(self, u, climb):
        """How much of the way is done, from above and in height."""
        if self.swing.steps and climb > 0.02:
            return self._move((u - 0.2) / 0.8), self._move(u / 0.7)
        if self.swing.steps and climb < -0.02:
            return self._move(u / 0.8), self._move((u - 0.3) / 0.7)
        return self._move(u), self._move(u)

    def _move(self, u):
        brisk = self.swing.brisk
        return (1.0 - brisk) * curves.ease(u) + brisk * curves.brisk(u)

    def _raise_over_ground(self, i):
        """Lifts the swing by 1 cm until it keeps its distance from the ground."""
        for _ in range(40):
            if self._keeps_clear(i):
                return
            self.lifts[i] += 0.01
        raise ValueError("the ground is too steep for a swing")

    def _keeps_clear(self, i, samples=24):
        start, end = self.stances[i].lift_off, self.stances[i + 1].strike
        for k in range(1, samples):
            u = k / samples
            needed = 0.012 * curves.hump(u)
            pose = self.sample(start + (end - start) * u)
            heights = (self.sole.ankle_height, self.sole.ball_height, self.sole.tip_height)
            for point, height in zip(self.points(pose), heights):
                if point is None:
                    continue
                above = ground.clearance(self.surface, point, height)
                if above is not None and -0.6 < above < needed:
                    return False
        return True


def sole_frame(yaw, normal, pitch):
    return vec.matmul(vec.heading_frame(yaw, normal), vec.rotation("X", pitch))


def settle(stance, sole, surface):
    """Lays the foot on its ground: ankle, ball and tip at their own heights over it."""
    if stance.air is not None:
        stance.ball = (stance.x, stance.air, stance.z)
        _place(stance, sole)
        return
    hit = surface.at(stance.x, stance.z)
    if hit is None:
        raise ValueError("a footstep has no ground")
    height, stance.normal = hit
    ball_y = height + sole.ball_height / stance.normal[1]
    stance.ball = (stance.x, ball_y, stance.z)
    # Heights grow with the lever times the angle: a fixed-point step per round, and the
    # ground's slope makes the error shrink by a factor of about ten each time.
    for _ in range(16):
        _place(stance, sole)
        error = ground.clearance(surface, stance.ankle, sole.ankle_height)
        stance.tilt -= error / sole.ball[2]
    _place(stance, sole)
    if sole.tip is not None:
        _bend_toe(stance, sole, surface)


def _place(stance, sole):
    rotation = sole_frame(stance.yaw, stance.normal, stance.tilt)
    stance.ankle = vec.sub(stance.ball, vec.mul(rotation, sole.ball))
    stance.heel = vec.add(stance.ankle, vec.mul(rotation, sole.heel))


def _bend_toe(stance, sole, surface):
    for _ in range(16):
        toe = sole_frame(stance.yaw, stance.normal, stance.tilt + stance.toe_bend)
        tip = vec.add(stance.ball, vec.mul(toe, sole.tip))
        stance.toe_bend += ground.clearance(surface, tip, sole.tip_height) / sole.tip[2]
