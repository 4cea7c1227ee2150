# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""From our metres and +Y up to a file's units and up axis."""

UNITS = {"m": 1.0, "cm": 100.0}


class Space:
    """With +Z up, X looks forward and Y to the left: (x, y, z) becomes (z, x, y)."""

    def __init__(self, units="cm", up="y"):
        self.units, self.up = units, up
        self.per_metre = UNITS[units]
        self.z_up = up == "z"
        # A micrometre in either unit.
        self.decimals = 6 if units == "m" else 4

    def length(self, metres):
        return round(metres * self.per_metre, self.decimals) + 0.0  # No negative zero.

    def direction(self, v):
        v = (v[2], v[0], v[1]) if self.z_up else v
        return [round(x, 9) + 0.0 for x in v]

    def point(self, v):
        v = (v[2], v[0], v[1]) if self.z_up else v
        return [self.length(x) for x in v]

    @staticmethod
    def message(xyz):
        """An ikstream.v1.Vec3 in proto JSON."""
        return dict(zip("xyz", xyz))

    def quaternion(self, q):
        q = (q[2], q[0], q[1], q[3]) if self.z_up else q
        return [round(x, 9) + 0.0 for x in q]

    def axis(self, name):
        """The file's axis of our axis."""
        return {"X": "Y", "Y": "Z", "Z": "X"}[name] if self.z_up else name
