# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Heights over a terrain in the fields of ikstream.v1.Terrain, along the surface's normal."""

import math

# A surface so far above or below a point is no ground for it, metres.
ABOVE, BELOW = 0.45, 0.60


class Terrain:
    """The highest surface wins. `up` is '+Y' or '+Z'."""

    def __init__(self, fields, up, units_per_metre):
        self._axes = (0, 2, 1) if up == "+Y" else (0, 1, 2)
        self._above, self._below = ABOVE * units_per_metre, BELOW * units_per_metre
        self._planes = [(_xyz(p["point"]), _xyz(p["normal"])) for p in fields.get("planes", [])]
        self._fields = fields.get("height_fields", [])
        self._triangles = [t for m in fields.get("meshes", []) for t in _triangles(m)]

    def height(self, point):
        """None where there is no ground."""
        best = None
        for surface, up in self._hits(point):
            gap = point[self._axes[2]] - surface
            if -self._above <= gap <= self._below and (best is None or surface > best[0]):
                best = (surface, up)
        return None if best is None else (point[self._axes[2]] - best[0]) * best[1]

    def _hits(self, point):
        """Heights of surfaces above or below the point, and their normals' part along up."""
        a, b, u = self._axes
        for origin, normal in self._planes:
            length = math.sqrt(sum(n * n for n in normal))
            fall = normal[a] * (point[a] - origin[a]) + normal[b] * (point[b] - origin[b])
            yield origin[u] - fall / normal[u], normal[u] / length
        for field in self._fields:
            yield from self._field_hit(field, point)
        for triangle in self._triangles:
            yield from self._triangle_hit(triangle, point)

    def _field_hit(self, field, point):
        a, b, u = self._axes
        origin, nj = _xyz(field["origin"]), field["count_j"]
        ci, cj = field["cell_i"], field["cell_j"]
        s, t = (point[a] - origin[a]) / ci, (point[b] - origin[b]) / cj
        i, j = math.floor(s), math.floor(t)
        if not (0 <= i < field["count_i"] - 1 and 0 <= j < nj - 1):
            return
        h = field["heights"]
        s, t, low, high = s - i, t - j, h[i * nj + j], h[(i + 1) * nj + j + 1]
        corner = h[(i + 1) * nj + j] if s >= t else h[i * nj + j + 1]
        di, dj = (corner - low, high - corner) if s >= t else (high - corner, corner - low)
        up = 1.0 / math.sqrt(1.0 + (di / ci) ** 2 + (dj / cj) ** 2)
        yield origin[u] + low + di * s + dj * t, up

    def _triangle_hit(self, triangle, point):
        a, b, u = self._axes
        (p, q, r), normal = triangle
        if abs(normal[u]) < 1e-6:
            return
        corners = [(v[a] - point[a], v[b] - point[b]) for v in (p, q, r)]
        sides = [m[0] * n[1] - m[1] * n[0] for m, n in zip(corners, corners[1:] + corners[:1])]
        if min(sides) < -1e-9 * abs(sum(sides)) and max(sides) > 1e-9 * abs(sum(sides)):
            return
        fall = normal[a] * (point[a] - p[a]) + normal[b] * (point[b] - p[b])
        yield p[u] - fall / normal[u], abs(normal[u])


def _xyz(message):
    """An ikstream.v1.Vec3 in proto JSON, which leaves out zeros."""
    return [message.get(axis, 0.0) for axis in "xyz"]


def _triangles(mesh):
    flat, indices = mesh["positions"], mesh["triangles"]
    for k in range(0, len(indices), 3):
        p, q, r = (flat[3 * i : 3 * i + 3] for i in indices[k : k + 3])
        e, f = [x - y for x, y in zip(q, p)], [x - y for x, y in zip(r, p)]
        normal = [
            e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3] for i in range(3)
        ]
        length = math.sqrt(sum(n * n for n in normal))
        if length > 0.0:
            yield (p, q, r), [n / length for n in normal]


def fit_plane(points, up):
    """A plane through most of the points: least squares, thrice without the worst quarter.

    Returned as terrain fields; level where fewer than three points stand apart.
    """
    a, b, u = (0, 2, 1) if up == "+Y" else (0, 1, 2)
    kept = list(points)
    for _ in range(3):
        s, t, c = _least_squares([(p[a], p[b], p[u]) for p in kept])
        by_error = sorted(points, key=lambda p: abs(p[u] - s * p[a] - t * p[b] - c))
        kept = by_error[: max(3, len(points) * 3 // 4)]
    point, normal = [0.0] * 3, [0.0] * 3
    point[u], normal[a], normal[b], normal[u] = c, -s, -t, 1.0
    return {"planes": [{"point": dict(zip("xyz", point)), "normal": dict(zip("xyz", normal))}]}


def _least_squares(rows):
    n = len(rows)
    ma, mb, mu = (sum(r[k] for r in rows) / n for k in range(3))
    saa = sum((r[0] - ma) ** 2 for r in rows)
    sbb = sum((r[1] - mb) ** 2 for r in rows)
    sab = sum((r[0] - ma) * (r[1] - mb) for r in rows)
    sau = sum((r[0] - ma) * (r[2] - mu) for r in rows)
    sbu = sum((r[1] - mb) * (r[2] - mu) for r in rows)
    det = saa * sbb - sab * sab
    if n < 3 or det < 1e-3 * (saa + sbb) ** 2:
        # All in a line: a slope across it cannot be known, and one along it is left alone.
        return 0.0, 0.0, sorted(r[2] for r in rows)[n // 2]
    s, t = (sau * sbb - sbu * sab) / det, (sbu * saa - sau * sab) / det
    return s, t, mu - s * ma - t * mb
