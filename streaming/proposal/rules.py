"""The rule that most values of a field keep: a range of whole numbers, a few texts, or a pattern.

Data flow: values of one type -> the rule as Python, what was seen, and how many values keep it
Run: pytest tests/streaming/proposal/test_infer.py
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from streaming.contracts.contract import UUID

FEW, OFTEN = 8, 5
"""So many texts, each this often on average, are a list of what is allowed."""
MOSTLY = 0.95
"""A pattern that fewer values have is none."""
LONGEST = 200
CLASSES = {"[0-9]": str.isdigit, "[a-z]": str.islower, "[A-Z]": str.isupper}


class Found(NamedTuple):
    """A rule. `call`: `matches` or `between`, and its arguments behind the field's name; `seen`: what was seen; `share` of
    the values (0 to 1) keeps it."""

    call: str
    arguments: tuple[str | int, ...]
    seen: str
    share: float


def of_numbers(values: Sequence[int]) -> Found:
    """A range that has all: from 0 or a negative power of ten to a power of ten."""
    low, high = min(values), max(values)
    return Found("between", (-_power(-low) if low < 0 else 0, _power(max(high, 0))), f"{low} to {high}", 1.0)


def of_texts(values: Sequence[str]) -> Found | None:
    """The texts themselves, if they are few and come often; or the pattern that most have; or None."""
    counts = Counter(values)
    if len(counts) <= FEW and len(values) >= OFTEN * len(counts) and all(0 < len(text) <= 40 for text in counts):
        listed = "|".join(_plain(text) for text in sorted(counts))
        return Found("matches", (listed,), f"{len(counts)} different", 1.0)
    lengths = [len(text) for text in values]
    hexadecimal = f"[0-9a-f]{{{min(lengths)},{max(lengths)}}}"
    for pattern, seen in ((UUID, "UUIDs"), (hexadecimal, "hexadecimal")):
        fits = sum(bool(re.fullmatch(pattern, text)) for text in values)
        if min(lengths) and fits >= MOSTLY * len(values) and not all(text.isdigit() for text in values):
            return Found("matches", (pattern,), seen, fits / len(values))
    return _shape(values)


def _shape(values: Sequence[str]) -> Found | None:
    shapes: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for text in values:
        if 0 < len(text) <= LONGEST:
            runs = [("".join(own), kind) for kind, own in groupby(text, key=_class)]
            shapes[tuple(kind for _, kind in runs)].append([run for run, _ in runs])
    if not shapes:
        return None
    shape, own = max(shapes.items(), key=lambda one: len(one[1]))
    if len(own) < MOSTLY * len(values) or len(own) < OFTEN:
        return None
    parts = [_part(kind, [runs[place] for runs in own]) for place, kind in enumerate(shape)]
    return Found("matches", ("".join(parts),), "of one form", len(own) / len(values))


def _class(sign: str) -> str:
    return next((name for name, holds in CLASSES.items() if sign.isascii() and holds(sign)), sign)


def _part(kind: str, runs: Sequence[str]) -> str:
    """A run that is the same everywhere as it is; another as its class, as long as it came."""
    if len(set(runs)) == 1 and kind != "[0-9]":
        return _plain(runs[0])
    low, high = min(map(len, runs)), max(map(len, runs))
    return (kind if kind in CLASSES else _plain(kind)) + (f"{{{low},{high}}}" if high > low else f"{{{low}}}")


def _plain(text: str) -> str:
    """The text itself as a pattern, in Python and in Java."""
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)


def _power(value: int) -> int:
    """The smallest power of ten that is not smaller; 0 for 0."""
    power = 10 ** (len(str(value - 1)) if value > 1 else 0)
    return min(power, (1 << 63) - 1) if value else 0
