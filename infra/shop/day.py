"""When something happens in the shop: a Poisson process whose rate follows the hour of the day.

Data flow: rate, curve, seeded random numbers -> moments in epoch milliseconds
Run: daybreak shop --days 1
Source: thinning, Lewis and Shedler 1979.
"""

from collections.abc import Iterator
from random import Random

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS

Curve = tuple[float, ...]
"""Relative rate at each full hour, interpolated linearly; rates are divided by the mean, so only the shape counts."""

# fmt: off
SHOP_DAY: Curve = (
    3, 1.6, 1, 0.8, 0.8, 1.2, 2.4, 4.5, 6, 6.5, 7, 8.5,
    11, 10, 8, 7.5, 8, 9.5, 11.5, 13.5, 14, 12, 9, 5.5,
)
# fmt: on
"""Nearly nobody at four in the morning, a lunch break, and the evening on the sofa."""

FLAT: Curve = (1.0,) * 24


def relative_rate(curve: Curve, moment_ms: int) -> float:
    """The rate at a moment, 1.0 being the day's mean."""
    hour, within = divmod(moment_ms % DAY_MS, HOUR_MS)
    now, then = curve[hour], curve[(hour + 1) % 24]
    return (now + (then - now) * within / HOUR_MS) * 24 / sum(curve)


def moments(rng: Random, start_ms: int, end_ms: int, per_second: float, curve: Curve) -> Iterator[int]:
    """Moments (epoch ms) in [start, end), ascending; on average `per_second` per second over a whole day."""
    peak = max(curve) * 24 / sum(curve)
    per_ms = per_second * peak / 1000
    moment = float(start_ms)
    while True:
        moment += rng.expovariate(per_ms)
        if moment >= end_ms:
            return
        if rng.random() * peak < relative_rate(curve, int(moment)):
            yield int(moment)
