"""CPU seconds of this process and of all that it has started, and how they grow.

Data flow: the kernel's counters of the process tree -> CPU seconds per part -> slope over several sizes
Run: make bench-night
"""

from collections.abc import Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from math import log
from statistics import linear_regression
from typing import TypeVar

import psutil

Part = TypeVar("Part")


def cpu_seconds() -> float:
    """User and system time so far of this process and its descendants, those that have ended and been waited for included."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        try:
            spent = process.cpu_times()
        except psutil.NoSuchProcess:
            # Its time is in its parent's `children_*` from now on.
            continue
        total += spent.user + spent.system + spent.children_user + spent.children_system
    return total


@contextmanager
def spent(on: MutableMapping[Part, float], part: Part) -> Iterator[None]:
    """Add the CPU seconds of a block to `on[part]`."""
    before = cpu_seconds()
    yield
    on[part] = on.get(part, 0.0) + cpu_seconds() - before


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Exponent b of y = a * x**b through (x, y), by least squares of the logarithms: 1.0 is linear, 2.0 is quadratic.

    Needs two different x; all x and y are above 0.
    """
    xs, ys = zip(*points, strict=True)
    return linear_regression([log(x) for x in xs], [log(y) for y in ys]).slope
