"""Type aliases for positions in Kafka.

Data flow: none, types only
Run: daybreak lag
"""

At = tuple[str, int]
"""A partition: topic and number."""

Ends = dict[At, int]
"""End offset (exclusive) per partition: of the log, or of what a reader has read."""

Ranges = dict[At, list[tuple[int, int]]]
"""Ranges of offsets per partition: half-open, disjoint, in order."""
