# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Frames of a scene: torso and arms by the stride, legs and planted hands in closed form."""

import math

from . import curves, limbs, vec
from .body import GRID_HZ, LEAD, body_curves
from .rig import SHANK, THIGH
from .scene import Frame, Limb


def pose_clip(scene, fps, count):
    """Frames and limbs of `count` frames; the platform's way is applied to both."""
    if GRID_HZ % fps:
        raise ValueError(f"{fps} frames per second do not divide {GRID_HZ}")
    body = body_curves(scene, (count - 1) / fps)
    samples = [LEAD + f * (GRID_HZ // fps) for f in range(count)]
    frames = [_frame(scene, body, i, f / fps) for f, i in enumerate(samples)]
    feet = _feet(scene, body, samples, fps)
    hands = [_hand(scene, hand, frames, fps) for hand in scene.hands]
    platforms = [scene.platform(f / fps) for f in range(count)] if scene.platform else []
    if platforms:
        _carry(frames, feet + hands, platforms)
    return frames, feet + hands, platforms


def _frame(scene, body, i, t):
    skeleton = scene.skeleton
    local = {joint.name: vec.IDENTITY for joint in skeleton.joints}
    local["Hips"] = body.rotation[i]
    if "Tail" in local:
        _pony_torso(local, body, i)
    else:
        _human_torso(local, scene.style, body, i)
    frame = Frame(body.root[i], [local[joint.name] for joint in skeleton.joints])
    for hand in scene.hands:
        _plant_hand(skeleton, frame, hand, t)
    for leg, track in zip(skeleton.legs, body.feet):
        _close_leg(skeleton, frame, leg, track[i])
    return frame


def _human_torso(local, style, body, i):
    twist, roll = body.twist[i], body.roll[i]
    for name, share in (("Spine", 0.3), ("Spine1", 0.4), ("Spine2", 0.3)):
        turn = vec.rotation("Y", -1.7 * share * twist)
        turn = vec.matmul(turn, vec.rotation("X", share * style.lean))
        local[name] = vec.matmul(turn, vec.rotation("Z", -1.3 * share * roll))
    up_again = vec.rotation("X", -0.5 * (style.lean + style.tilt))
    local["Neck"] = vec.matmul(vec.rotation("Y", 0.35 * twist), up_again)
    local["Head"] = vec.matmul(vec.rotation("Y", 0.35 * twist), up_again)
    for side, s in (("Left", 1.0), ("Right", -1.0)):
        back = s * style.arm_swing * body.stride[i]
        arm = vec.matmul(vec.rotation("X", back), vec.rotation("Z", -s * style.arm_hang))
        local[side + "Arm"] = arm
        local[side + "ForeArm"] = vec.rotation("Y", -s * (style.elbow - 0.5 * back))


def _pony_torso(local, body, i):
    local["Neck"] = vec.rotation("X", 0.12 + 0.25 * body.stride[i])
    local["Head"] = vec.rotation("X", -0.12 * body.stride[i])
    local["Tail"] = vec.rotation("Z", 1.5 * body.roll[i])


def _close_leg(skeleton, frame, leg, foot):
    """Turns hip, knee, ankle and toe so that the foot is exactly where it should be."""
    positions, rotations = skeleton.solve(frame.root, frame.local)
    index = skeleton.index
    hip = index[leg.hip]
    parent = rotations[skeleton.joints[hip].parent]
    # The knee points between where the pelvis and the foot look.
    sideways = vec.add(vec.transpose(rotations[0])[0], vec.transpose(foot.rotation)[0])
    axis = vec.scale(sideways, leg.bend)
    knee, hinge = limbs.middle_joint(positions[hip], foot.ankle, THIGH, SHANK, axis)
    hinge = vec.scale(hinge, leg.bend)
    thigh, shank = limbs.leg_rotations(positions[hip], knee, foot.ankle, hinge)
    frame.local[hip] = vec.matmul(vec.transpose(parent), thigh)
    frame.local[index[leg.knee]] = vec.matmul(vec.transpose(thigh), shank)
    frame.local[index[leg.ankle]] = vec.matmul(vec.transpose(shank), foot.rotation)
    if leg.toe:
        frame.local[index[leg.toe]] = vec.rotation("X", foot.toe_bend)


def _plant_hand(skeleton, frame, hand, t):
    weight = curves.ease((t - hand.begin + hand.approach) / hand.approach)
    weight *= 1.0 - curves.ease((t - hand.end) / hand.approach)
    if weight == 0.0:
        return
    names = [_side(hand) + part for part in ("Arm", "ForeArm", "Hand")]
    arm, fore, wrist = (skeleton.index[name] for name in names)
    positions, rotations = skeleton.solve(frame.root, frame.local)
    end = vec.lerp(positions[wrist], hand.point, weight)
    turn = limbs.blend(rotations[wrist], hand.rotation, weight)
    shoulder, parent = positions[arm], rotations[skeleton.joints[arm].parent]
    upper = vec.norm(skeleton.joints[fore].offset)
    lower = vec.norm(skeleton.joints[wrist].offset)
    # The free elbow's own hinge, so that the arm moves on smoothly from where it is.
    axis = vec.scale(vec.transpose(rotations[arm])[1], -hand.side)
    elbow, hinge = limbs.middle_joint(shoulder, end, upper, lower, axis)
    first, second = limbs.arm_rotations(shoulder, elbow, end, hinge, hand.side)
    frame.local[arm] = vec.matmul(vec.transpose(parent), first)
    frame.local[fore] = vec.matmul(vec.transpose(first), second)
    frame.local[wrist] = vec.matmul(vec.transpose(second), turn)


def _side(hand):
    return "Left" if hand.side > 0.0 else "Right"


def interval(begin, end, fps, count):
    """Frames f with begin <= f / fps <= end, as [first, last + 1), or None."""
    first = max(0, math.ceil(begin * fps - 1e-6))
    last = min(count, math.floor(end * fps + 1e-6) + 1)
    return [first, last] if first < last else None


def _intervals(spans, fps, count):
    found = (interval(begin, end, fps, count) for begin, end in spans)
    return [span for span in found if span]


def _feet(scene, body, samples, fps):
    count, feet = len(samples), []
    for leg, track, poses in zip(scene.skeleton.legs, scene.tracks, body.feet):
        rows = [track.points(poses[i]) for i in samples]
        points = {"ankle": [r[0] for r in rows], "toe": [r[1] for r in rows]}
        sole = {"ankle": leg.sole.ankle_height, "toe": leg.sole.ball_height}
        stances = [s for s in track.stances if s.air is None]
        ball = _intervals([(s.flat, s.lift_off) for s in stances], fps, count)
        ankle = _intervals([(s.flat, s.heel_off) for s in stances], fps, count)
        planted = {"ankle": ankle, "toe": ball}
        if leg.toe:
            points["tip"], sole["tip"] = [r[2] for r in rows], leg.sole.tip_height
            planted["tip"] = ball
        joints = {"hip": leg.hip, "knee": leg.knee, "ankle": leg.ankle}
        if leg.toe:
            joints["toe"] = leg.toe
        feet.append(Limb(leg.ankle, "foot", joints, sole, points, planted, ball))
    return feet


def _hand(scene, hand, frames, fps):
    side = _side(hand)
    wrist = scene.skeleton.index[side + "Hand"]
    points = [scene.skeleton.solve(f.root, f.local)[0][wrist] for f in frames]
    contacts = _intervals([(hand.begin, hand.end)], fps, len(frames))
    joints = {"hip": side + "Arm", "knee": side + "ForeArm", "ankle": side + "Hand"}
    tracks, planted = {"ankle": points}, {"ankle": contacts}
    return Limb(side + "Hand", "hand", joints, {"ankle": 0.0}, tracks, planted, contacts)


def _carry(frames, limbs_, platforms):
    """From the platform's frame to the world."""
    for f, (position, rotation) in enumerate(platforms):
        frame = frames[f]
        frame.root = vec.add(position, vec.mul(rotation, frame.root))
        frame.local[0] = vec.matmul(rotation, frame.local[0])
        for limb in limbs_:
            for track in limb.points.values():
                track[f] = vec.add(position, vec.mul(rotation, track[f]))
