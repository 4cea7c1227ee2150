# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Grounds: at(x, z) gives the height and the unit normal there, or None for no ground.

terrain(space) gives the fields of ikstream.v1.Terrain in the clip's own units and axes.
"""

import math

from . import vec


def clearance(ground, point, sole_height):
    """How far a foot point is above where it stands, along the normal; None: no ground."""
    hit = ground.at(point[0], point[2])
    if hit is None:
        return None
    height, normal = hit
    return (point[1] - height) * normal[1] - sole_height


class Plane:
    def __init__(self, point=(0.0, 0.0, 0.0), normal=vec.UP):
        self.point, self.normal = point, vec.unit(normal)

    def at(self, x, z):
        n, p = self.normal, self.point
        return p[1] - (n[0] * (x - p[0]) + n[2] * (z - p[2])) / n[1], n

    def terrain(self, space, platform=""):
        plane = {
            "point": space.message(space.point(self.point)),
            "normal": space.message(space.direction(self.normal)),
        }
        if platform:
            plane["platform"] = platform
        return {"planes": [plane]}


class HeightField:
    """Vertices on a square grid; each cell is cut from (i, j) to (i + 1, j + 1)."""

    def __init__(self, x0, z0, cell, count_i, count_j, heights):
        self.x0, self.z0, self.cell = x0, z0, cell
        self.count_i, self.count_j, self.heights = count_i, count_j, heights

    def _vertex(self, i, j):
        return self.heights[i * self.count_j + j]

    def at(self, x, z):
        a, b = (x - self.x0) / self.cell, (z - self.z0) / self.cell
        i, j = math.floor(a), math.floor(b)
        if not (0 <= i < self.count_i - 1 and 0 <= j < self.count_j - 1):
            return None
        a, b = a - i, b - j
        low, high = self._vertex(i, j), self._vertex(i + 1, j + 1)
        if a >= b:
            corner = self._vertex(i + 1, j)
            da, db = corner - low, high - corner
        else:
            corner = self._vertex(i, j + 1)
            da, db = high - corner, corner - low
        normal = vec.unit((-da / self.cell, 1.0, -db / self.cell))
        return low + da * a + db * b, normal

    def terrain(self, space):
        heights, ni, nj = self.heights, self.count_i, self.count_j
        if space.z_up:  # The file's +X is our +Z: the field is transposed.
            heights = [heights[i * nj + j] for j in range(nj) for i in range(ni)]
            ni, nj = nj, ni
        field = {
            "origin": space.message(space.point((self.x0, 0.0, self.z0))),
            "cell_i": space.length(self.cell),
            "cell_j": space.length(self.cell),
            "count_i": ni,
            "count_j": nj,
            "heights": [space.length(h) for h in heights],
        }
        return {"height_fields": [field]}


class Mesh:
    """Triangles, counter-clockwise from above. Upright ones (risers, walls) carry no foot."""

    def __init__(self):
        self.vertices, self.triangles = [], []

    def quad(self, a, b, c, d):
        """Corners counter-clockwise from above (from outside, if upright)."""
        n = len(self.vertices)
        self.vertices += [a, b, c, d]
        self.triangles += [(n, n + 1, n + 2), (n, n + 2, n + 3)]

    def at(self, x, z):
        best = None
        for triangle in self.triangles:
            hit = self._hit(x, z, *(self.vertices[i] for i in triangle))
            if hit is not None and (best is None or hit[0] > best[0]):
                best = hit
        return best

    @staticmethod
    def _hit(x, z, a, b, c):
        area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2])
        if abs(area) < 1e-12:
            return None
        u = ((x - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (z - a[2])) / area
        v = ((b[0] - a[0]) * (z - a[2]) - (x - a[0]) * (b[2] - a[2])) / area
        if u < -1e-9 or v < -1e-9 or u + v > 1.0 + 1e-9:
            return None
        normal = vec.unit(vec.cross(vec.sub(b, a), vec.sub(c, a)))
        return a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]), normal

    def terrain(self, space):
        positions = [x for vertex in self.vertices for x in space.point(vertex)]
        triangles = [i for triangle in self.triangles for i in triangle]
        return {"meshes": [{"positions": positions, "triangles": triangles}]}


def rough(rng, x_range, z_range, cell=0.2):
    """Rolling ground, up to about 50 mm from level and 10 degrees steep."""
    count_i = math.ceil((x_range[1] - x_range[0]) / cell) + 1
    count_j = math.ceil((z_range[1] - z_range[0]) / cell) + 1
    waves = []
    for _ in range(6):
        number = 2.0 * math.pi / (0.9 + 1.6 * rng.random())
        angle, phase = math.pi * rng.random(), 2.0 * math.pi * rng.random()
        waves.append((number * math.sin(angle), number * math.cos(angle), phase, 0.05 / number))
    heights = []
    for i in range(count_i):
        for j in range(count_j):
            x, z = x_range[0] + i * cell, z_range[0] + j * cell
            height = sum(a * math.sin(p * x + q * z + r) for p, q, r, a in waves)
            heights.append(round(height, 4))
    return HeightField(x_range[0], z_range[0], cell, count_i, count_j, heights)


def staircase(levels, run, z0, half_width):
    """Treads of depth `run` at the given levels, the first and the last one 4 m longer."""
    mesh, z, last = Mesh(), z0, len(levels) - 1
    for k, y in enumerate(levels):
        near, far = (z - 4.0 if k == 0 else z), (z + run + (4.0 if k == last else 0.0))
        w = half_width
        mesh.quad((-w, y, near), (-w, y, far), (w, y, far), (w, y, near))
        z += run
        if k < last and levels[k + 1] != y:
            next_y = levels[k + 1]
            mesh.quad((w, y, z), (-w, y, z), (-w, next_y, z), (w, next_y, z))
    return mesh


def ledge(edge_z, half_width, depth, drop):
    """The top of a block that ends at `edge_z`, and its front. Beyond it there is nothing."""
    mesh, w = Mesh(), half_width
    near = edge_z - depth
    mesh.quad((-w, 0.0, near), (-w, 0.0, edge_z), (w, 0.0, edge_z), (w, 0.0, near))
    mesh.quad((-w, -drop, edge_z), (w, -drop, edge_z), (w, 0.0, edge_z), (-w, 0.0, edge_z))
    return mesh
