"""Offsets as ranges: those of a frame, and the holes between them.

Data flow: rows with topic, partition, offset -> ranges per partition, in the driver
Run: pytest tests/batch/test_offset_counts.py
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.conservation.offset_range import OffsetRange, Range
from infra.kafka.places import At


def ranges(places: DataFrame) -> dict[At, list[Range]]:
    """All offsets of a frame, as ranges per partition."""
    numbered = F.row_number().over(Window.partitionBy("topic", "partition").orderBy("offset"))
    rows = (
        places.select(*PLACE, (F.col("offset") - numbered).alias("island"))
        .groupBy("topic", "partition", "island")
        .agg(F.min("offset").alias("from"), (F.max("offset") + 1).alias("to"))
        .collect()
    )
    found: dict[At, list[Range]] = {}
    for row in rows:
        found.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["to"]))
    return {place: sorted(ranges) for place, ranges in found.items()}


def holes_between(at: DataFrame, spans: Sequence[OffsetRange], counted: Mapping[At, Any]) -> dict[At, list[Range]]:
    """The offsets that `size` counts and no table has."""
    before = F.lag("offset").over(Window.partitionBy("topic", "partition").orderBy("offset"))
    between: dict[At, list[Range]] = {}
    for row in at.select(*PLACE, (before + 1).alias("from")).where("offset > from").collect():
        between.setdefault((row["topic"], row["partition"]), []).append((row["from"], row["offset"]))
    found = {}
    for span in spans:
        bounds = counted.get(span.at)
        first, last = (bounds["first"], bounds["last"] + 1) if bounds else (span.end, span.end)
        found[span.at] = span.counted_of([(span.start, first), *sorted(between.get(span.at, [])), (last, span.end)])
    return found
