# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""Scalar curves: easing, smoothing of sampled curves, and noise of a known band."""

import math


def clamp01(u):
    return min(1.0, max(0.0, u))


def ease(u):
    """0 to 1 with no speed and no acceleration at both ends (the minimum-jerk quintic)."""
    u = clamp01(u)
    return u * u * u * (10.0 + u * (-15.0 + 6.0 * u))


def brisk(u):
    """0 to 1 with no speed at both ends, but an acceleration at once: feet that hit hard."""
    u = clamp01(u)
    return u * u * (3.0 - 2.0 * u)


def hump(u):
    """0 to 1 to 0, its top at 3/7, and flat to the third order at both ends."""
    u = clamp01(u)
    v = 1.0 - u
    return u * u * u * v * v * v * v * 823543.0 / 6912.0


def gaussian(values, sigma):
    """`values` smoothed by a Gaussian cut at 3 sigma (in samples); ends are held."""
    radius = int(3.0 * sigma)
    kernel = [math.exp(-0.5 * (k / sigma) ** 2) for k in range(-radius, radius + 1)]
    total = sum(kernel)
    kernel = [k / total for k in kernel]
    padded = [values[0]] * radius + list(values) + [values[-1]] * radius
    return [
        sum(map(_product, kernel, padded[i : i + 2 * radius + 1])) for i in range(len(values))
    ]


def _product(a, b):
    return a * b


def lower_envelope(values, sigma):
    """A smooth curve that is nowhere above `values`: a running minimum, then a Gaussian."""
    radius = int(3.0 * sigma)
    last = len(values)
    lowest = [min(values[max(0, i - radius) : min(last, i + radius + 1)]) for i in range(last)]
    return gaussian(lowest, sigma)


class Noise:
    """A sum of sines with random frequencies in a band and root mean square 1.

    With `period` the frequencies are whole multiples of 1 / period, so the curve closes.
    """

    TERMS = 8

    def __init__(self, rng, low_hz, high_hz, period=None):
        self._terms = []
        for _ in range(self.TERMS):
            hz = low_hz + (high_hz - low_hz) * rng.random()
            if period:
                hz = max(1.0, math.floor(hz * period + 0.5)) / period
            self._terms.append((2.0 * math.pi * hz, 2.0 * math.pi * rng.random()))
        self._gain = math.sqrt(2.0 / self.TERMS)

    def __call__(self, t):
        return self._gain * sum(math.sin(w * t + p) for w, p in self._terms)

    def integral(self, t):
        """An antiderivative, bounded since no term has frequency 0."""
        return -self._gain * sum(math.cos(w * t + p) / w for w, p in self._terms)
