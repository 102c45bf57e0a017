"""Format time spans for people.

Data flow: seconds -> "3.2 s", "14 min", "5.1 h", "2.0 d"
Run: pytest tests/infra/test_durations.py
"""

LIMITS = ((120, 1, "s", 1), (7200, 60, "min", 0), (172_800, 3600, "h", 1))
"""(upper limit in seconds, seconds per unit, name of the unit, decimals)"""


def span(seconds: float) -> str:
    """Seconds in the unit that fits them, two to four digits."""
    for below, unit, name, decimals in LIMITS:
        if seconds < below:
            return f"{seconds / unit:.{decimals}f} {name}"
    return f"{seconds / 86_400:.1f} d"
