"""Names for places in the log.

Data flow: none, types only
Run: daybreak lag
"""

At = tuple[str, int]
"""A partition: topic and number."""

Ends = dict[At, int]
"""Per partition one past an offset: the last of the log, or the last that somebody has read."""

Ranges = dict[At, list[tuple[int, int]]]
"""Per partition ranges of offsets: half-open, disjoint, in order."""
