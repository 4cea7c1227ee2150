# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""The two skeletons: a humanoid of 1.78 m and a pony, both with legs of 0.85 m."""

from dataclasses import dataclass

from . import vec

THIGH, SHANK = 0.43, 0.42
LEG = THIGH + SHANK

# Where the euler order has its singular middle angle decides which joint gets which order:
# legs bend far about X, arms (along X at rest) about Y and Z, the root turns about Y.
ROOT_ORDER, LEG_ORDER, ARM_ORDER = "ZXY", "ZYX", "ZXY"


@dataclass(frozen=True)
class Joint:
    name: str
    parent: int
    offset: tuple
    order: str = LEG_ORDER
    end: tuple = None  # The End Site's offset.


@dataclass(frozen=True)
class Sole:
    """A foot's points. Offsets are in the ankle's frame, heights are above flat ground."""

    heel: tuple  # The point that meets the ground first; it is no joint.
    ball: tuple  # The toe joint, or the End Site of a foot that has none.
    tip: tuple  # The tip from the ball, or None.
    ankle_height: float
    ball_height: float
    tip_height: float = 0.0


@dataclass(frozen=True)
class Leg:
    hip: str
    knee: str
    ankle: str
    toe: str  # None where the foot has no toe joint.
    bend: float  # +1 where the middle joint points forward, -1 where it points back.
    side: float  # +1 left, -1 right.
    sole: Sole


class Skeleton:
    """Joints in the order of the file, parents first."""

    def __init__(self, joints, legs, torso_centre):
        self.joints = joints
        self.legs = legs
        self.index = {joint.name: i for i, joint in enumerate(joints)}
        self.torso_centre = torso_centre  # Over the feet's middle, in the root's frame.

    def root_offset(self, name):
        """Where a joint is in the root's frame while the joints between do not turn."""
        offset, i = (0.0, 0.0, 0.0), self.index[name]
        while i > 0:
            offset = vec.add(offset, self.joints[i].offset)
            i = self.joints[i].parent
        return offset

    def solve(self, root, local):
        """World positions and rotations of all joints from their local rotations."""
        positions, rotations = [], []
        for joint, turn in zip(self.joints, local):
            if joint.parent < 0:
                positions.append(root)
                rotations.append(turn)
                continue
            parent = rotations[joint.parent]
            positions.append(vec.add(positions[joint.parent], vec.mul(parent, joint.offset)))
            rotations.append(vec.matmul(parent, turn))
        return positions, rotations


HUMAN_SOLE = Sole(
    heel=(0.0, -0.082, -0.045),
    ball=(0.0, -0.062, 0.125),
    tip=(0.0, -0.008, 0.065),
    ankle_height=0.082,
    ball_height=0.020,
    tip_height=0.012,
)
HOOF_SOLE = Sole(
    heel=(0.0, -0.095, -0.020),
    ball=(0.0, -0.080, 0.060),
    tip=None,
    ankle_height=0.095,
    ball_height=0.015,
)


def _rows(rows):
    index, joints = {}, []
    for name, parent, offset, order, end in rows:
        index[name] = len(joints)
        joints.append(Joint(name, index.get(parent, -1), offset, order, end))
    return joints


def _human_side(side, s):
    arm, leg = ARM_ORDER, LEG_ORDER
    return [
        (side + "Shoulder", "Spine2", (0.05 * s, 0.13, 0.0), arm, None),
        (side + "Arm", side + "Shoulder", (0.13 * s, 0.0, 0.0), arm, None),
        (side + "ForeArm", side + "Arm", (0.28 * s, 0.0, 0.0), arm, None),
        (side + "Hand", side + "ForeArm", (0.25 * s, 0.0, 0.0), arm, (0.17 * s, 0.0, 0.0)),
        (side + "UpLeg", "Hips", (0.09 * s, -0.06, 0.0), leg, None),
        (side + "Leg", side + "UpLeg", (0.0, -THIGH, 0.0), leg, None),
        (side + "Foot", side + "Leg", (0.0, -SHANK, 0.0), leg, None),
        (side + "ToeBase", side + "Foot", HUMAN_SOLE.ball, leg, HUMAN_SOLE.tip),
    ]


def human():
    spine = [
        ("Hips", None, (0.0, 0.0, 0.0), ROOT_ORDER, None),
        ("Spine", "Hips", (0.0, 0.09, -0.01), LEG_ORDER, None),
        ("Spine1", "Spine", (0.0, 0.12, 0.0), LEG_ORDER, None),
        ("Spine2", "Spine1", (0.0, 0.13, 0.0), LEG_ORDER, None),
        ("Neck", "Spine2", (0.0, 0.18, 0.0), LEG_ORDER, None),
        ("Head", "Neck", (0.0, 0.10, 0.02), LEG_ORDER, (0.0, 0.17, 0.0)),
    ]
    rows = spine + _human_side("Left", 1.0) + _human_side("Right", -1.0)
    legs = [
        Leg(s + "UpLeg", s + "Leg", s + "Foot", s + "ToeBase", 1.0, sign, HUMAN_SOLE)
        for s, sign in (("Left", 1.0), ("Right", -1.0))
    ]
    return Skeleton(_rows(rows), legs, (0.0, 0.0, 0.0))


def _pony_side(side, s):
    leg, hoof = LEG_ORDER, HOOF_SOLE.ball
    return [
        (side + "Shoulder", "Spine2", (0.05 * s, -0.05, 0.05), leg, None),
        (side + "Arm", side + "Shoulder", (0.07 * s, -0.13, 0.10), leg, None),
        (side + "ForeArm", side + "Arm", (0.0, -THIGH, 0.0), leg, None),
        (side + "Hand", side + "ForeArm", (0.0, -SHANK, 0.0), leg, hoof),
        (side + "UpLeg", "Hips", (0.12 * s, -0.18, 0.0), leg, None),
        (side + "Leg", side + "UpLeg", (0.0, -THIGH, 0.0), leg, None),
        (side + "Foot", side + "Leg", (0.0, -SHANK, 0.0), leg, hoof),
    ]


def pony():
    spine = [
        ("Hips", None, (0.0, 0.0, 0.0), ROOT_ORDER, None),
        ("Spine", "Hips", (0.0, 0.02, 0.30), LEG_ORDER, None),
        ("Spine1", "Spine", (0.0, 0.0, 0.30), LEG_ORDER, None),
        ("Spine2", "Spine1", (0.0, -0.02, 0.30), LEG_ORDER, None),
        ("Neck", "Spine2", (0.0, 0.12, 0.20), LEG_ORDER, None),
        ("Head", "Neck", (0.0, 0.30, 0.25), LEG_ORDER, (0.0, -0.15, 0.30)),
        ("Tail", "Hips", (0.0, 0.05, -0.15), LEG_ORDER, (0.0, -0.40, -0.15)),
    ]
    rows = spine + _pony_side("Left", 1.0) + _pony_side("Right", -1.0)
    legs = []
    for s, sign in (("Left", 1.0), ("Right", -1.0)):
        legs.append(Leg(s + "UpLeg", s + "Leg", s + "Foot", None, 1.0, sign, HOOF_SOLE))
        legs.append(Leg(s + "Arm", s + "ForeArm", s + "Hand", None, -1.0, sign, HOOF_SOLE))
    skeleton = Skeleton(_rows(rows), legs, (0.0, 0.0, 0.0))
    front, hind = skeleton.root_offset("LeftArm"), skeleton.root_offset("LeftUpLeg")
    skeleton.torso_centre = (0.0, 0.0, 0.5 * (front[2] + hind[2]))
    return skeleton
