# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Vectors are tuples of 3, rotations are 3 row tuples: M applied to a column vector."""

import math

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
UP = (0.0, 1.0, 0.0)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def lerp(a, b, t):
    return tuple(x + (y - x) * t for x, y in zip(a, b))


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1.0 / norm(a))


def reject(a, direction):
    """The part of `a` that is orthogonal to the unit vector `direction`."""
    return sub(a, scale(direction, dot(a, direction)))


def mul(m, v):
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def transpose(m):
    return tuple(zip(*m))


def matmul(a, b):
    columns = transpose(b)
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def from_columns(x, y, z):
    return transpose((x, y, z))


def rotation(axis, angle):
    """A right-handed turn about the axis 'X', 'Y' or 'Z'."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == "X":
        return ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c))
    if axis == "Y":
        return ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c))
    return ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0))


def axis_rotation(axis, angle):
    """A right-handed turn about a unit axis (Rodrigues' formula)."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    k = 1.0 - c
    return (
        (c + x * x * k, x * y * k - z * s, x * z * k + y * s),
        (y * x * k + z * s, c + y * y * k, y * z * k - x * s),
        (z * x * k - y * s, z * y * k + x * s, c + z * z * k),
    )


def euler_angles(order, m):
    """Angles a, b, c of turns about the three axes of `order`, the leftmost applied last.

    With i, j, k the axes and e = +1 for an even permutation, m = R_i(a) R_j(b) R_k(c) has
    m[i][k] = e sin b, m[j][k] = -e sin a cos b and m[i][j] = -e cos b sin c.
    """
    i, j, k = ("XYZ".index(axis) for axis in order)
    e = 1.0 if (j - i) % 3 == 1 else -1.0
    b = math.asin(max(-1.0, min(1.0, e * m[i][k])))
    a = math.atan2(-e * m[j][k], m[k][k])
    c = math.atan2(-e * m[i][j], m[i][i])
    return (a, b, c)


def nearest_turn(angle, reference):
    """`angle` plus the whole turns that bring it nearest to `reference`."""
    turn = 2.0 * math.pi
    return angle + turn * math.floor((reference - angle) / turn + 0.5)


def quaternion(m):
    """x y z w of a rotation, w >= 0. Only for turns of less than 180 degrees."""
    w = 0.5 * math.sqrt(max(0.0, 1.0 + m[0][0] + m[1][1] + m[2][2]))
    f = 0.25 / w
    return (
        (m[2][1] - m[1][2]) * f,
        (m[0][2] - m[2][0]) * f,
        (m[1][0] - m[0][1]) * f,
        w,
    )


def heading_frame(yaw, normal):
    """A frame that stands on a surface: Y its unit normal, Z the heading laid onto it."""
    forward = (math.sin(yaw), 0.0, math.cos(yaw))
    z = unit(reject(forward, normal))
    return from_columns(cross(normal, z), normal, z)
