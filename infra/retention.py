"""The shortest time for which each layer must keep its rows, and why.

Data flow: constants -> Settings
Run: DAYBREAK_KEEP_DAYS='{"silver": 1}' daybreak doctor
"""

from collections.abc import Mapping

LEAST_DAYS = {"bronze": 8, "silver": 368, "speed": 368, "archive": 368}
"""Shortest retention per layer: a valid event may be 366 days old and of the UTC day before; its night comes later."""
LEAST_WHY = {"bronze": "the night counts what the log holds for a week"} | dict.fromkeys(
    ("silver", "speed", "archive"),
    "an event may come 366 days late, and the night then redoes its day from the archive, beside silver and speed",
)


def long_enough(days: Mapping[str, int]) -> dict[str, int]:
    """Days to keep, per layer. Raises ValueError for less than a redo needs: it reads its day in archive, silver and speed."""
    for layer, least in LEAST_DAYS.items():
        if days.get(layer, least) < least:
            raise ValueError(f"{layer} must be kept for {least} days or more: {LEAST_WHY[layer]}")
    return dict(days)
