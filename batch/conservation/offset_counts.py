"""OffsetCounts: how often archive, bronze, silver and quarantine hold each offset of some ranges, and the faults in that.

Data flow: archive, bronze, silver, quarantine, holes in them -> one row per offset -> counts and faults per partition
Run: pytest tests/batch/test_offset_counts.py
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from batch.conservation.holes import holes_between, ranges
from batch.conservation.offset_range import OffsetRange, Range, outside, size_of, within
from infra.kafka.places import At
from infra.lake.at_once import united
from infra.lake.materialize import materialized

COUNTS = {
    "log": "Offsets of the range outside of the archive's gaps and of accepted losses",
    "gaps": "Offsets in the archive's gaps, left out of every other count",
    "accepted": "Offsets whose faults a person accepted (reconciliation/losses), left out of every other count",
    "empty": "Offsets without a record: markers and aborted records of transactions; of a changelog also what was compacted",
    "archived": "Offsets that the archive has",
    "unread": "Offsets that the archive has and the stream never read, because they are in its accepted gaps",
    "bronze": "Offsets that bronze has",
    "silver": "Offsets whose record is an event in silver",
    "quarantined": "Offsets whose record is in quarantine",
    "duplicates": "Offsets whose event is in silver from another record",
    "missing": "Offsets that archive or bronze lacks, or that the log lost unread; a fault if it is not 0",
    "doubled": "Offsets that a table has more than once; a fault if it is not 0",
    "unaccounted": "Offsets of bronze whose event is neither in silver nor in quarantine; a fault if it is not 0",
}
"""The counts of a range, in offsets, and what each means; the last three are FAULTS."""
FAULTS = ("missing", "doubled", "unaccounted")
SHOWN = 5
Removed = Callable[[At, Sequence[Range]], Sequence[Range]]
"""Of offsets of a partition that no table has: those of which the log does not show that they never had a record."""


@dataclass(frozen=True)
class OffsetCounts:
    """One range with its counts, and all offsets of each kind of fault, in order."""

    span: OffsetRange
    counts: Mapping[str, int]
    faulty: Mapping[str, Sequence[Range]]

    @property
    def first(self) -> dict[str, list[int]]:
        """The first offsets of each kind of fault."""
        return {
            fault: [offset for at in found[:SHOWN] for offset in range(*at)[:SHOWN]][:SHOWN]
            for fault, found in self.faulty.items()
        }

    def faults(self) -> dict[str, str]:
        """A sentence per kind of fault; empty if everything adds up."""
        return {
            fault: f"{self.counts[fault]} offsets of {self.span} are {fault}, the first at "
            f"{', '.join(map(str, self.first[fault]))}"
            for fault in FAULTS
            if self.counts[fault]
        }


def tally(spans: Sequence[OffsetRange], tables: Sequence[DataFrame], removed: Removed) -> list[OffsetCounts]:
    """Count every span, from the files that hold its offsets, and from silver's days of the duplicates.

    `tables` are archive, bronze, silver and quarantine. `removed` is asked about offsets that no table has and that lie at
    or behind the log's start.
    """
    if all(span.size == 0 for span in spans):
        return [_tally(span, {}, [], {}) for span in spans]
    archive, _, silver, _ = tables
    at = offsets(spans, *tables).persist()
    counted = {(row["topic"], row["partition"]): row.asDict() for row in _counts(at, spans).collect()}
    faulty: dict[str, dict[At, list[Range]]] = {}
    for fault, column in (("missing", _missing()), ("doubled", _doubled())):
        if any(row[fault] for row in counted.values()):
            faulty[fault] = ranges(at.where(column))
    if any(row["without"] for row in counted.values()):
        lost = without_original(at.where(_is_nowhere()), archive.where(_held(spans)), silver)
        faulty["unaccounted"] = ranges(lost)
    holes: dict[At, list[Range]] = {}
    if any(span.size > counted.get(span.at, {"seen": 0})["seen"] for span in spans):
        holes = holes_between(at, spans, counted)
    at.unpersist()
    found = []
    for span in spans:
        here = holes.get(span.at, [])
        gone = span.gone(here)
        left = [part for hole in here for part in outside(hole, [(0, span.log_first)])]
        missing = [*gone, *(removed(span.at, left) if left else ())]
        own = {fault: found_at.get(span.at, []) for fault, found_at in faulty.items()}
        own["missing"] = sorted([*own.get("missing", ()), *missing])
        found.append(_tally(span, counted.get(span.at, {}), missing, own))
    return found


def _is_nowhere() -> Column:
    """Is the offset in bronze, but neither in silver nor in quarantine? Then it is a duplicate, or it was lost."""
    return (F.col("bronze") > 0) & (F.col("silver") + F.col("quarantine") == 0)


def without_original(nowhere: DataFrame, archive: DataFrame, silver: DataFrame) -> DataFrame:
    """Those of the offsets that are `nowhere` whose event silver does not have from another record either."""
    # Few offsets are nowhere. So their events are looked up in the archive, instead of being kept for every offset.
    names = (
        archive.select(*PLACE, "day", "event_id")
        .join(nowhere.select(*PLACE), [*PLACE], "left_semi")
        .dropDuplicates([*PLACE])
    )
    named = materialized(nowhere.select(*PLACE).join(names, [*PLACE], "left"))
    # A duplicate has the content of its original, so its event time, so its day.
    days = [row["day"] for row in named.select("day").distinct().collect()]
    ids = silver.where(F.col("day").isin(days)).select("topic", "day", "event_id")
    return named.join(ids, ["topic", "day", "event_id"], "left_anti")


def _held(spans: Sequence[OffsetRange]) -> Column:
    return reduce(lambda one, other: one | other, [span.holds() for span in spans])


def offsets(
    spans: Sequence[OffsetRange], archive: DataFrame, bronze: DataFrame, silver: DataFrame, quarantine: DataFrame
) -> DataFrame:
    """One row per offset that any of the four tables has: how often each has it.

    `unread`: is the offset in an accepted gap of the stream?
    """
    sides = {"archive": archive, "bronze": bronze, "silver": silver, "quarantine": quarantine}
    parts = []
    for side, rows in sides.items():
        is_here = [F.lit(int(name == side)).alias(name) for name in sides]
        parts.append(rows.where(_held(spans)).select(*PLACE, *is_here))
    together = united(parts)
    unread = reduce(lambda one, other: one | other, [within(span.at, span.unread) for span in spans])
    return together.groupBy(*PLACE).agg(*[F.sum(side).alias(side) for side in sides]).withColumn("unread", unread)


def _missing() -> Column:
    validated = F.col("silver") + F.col("quarantine")
    return (F.col("archive") == 0) | ((F.col("bronze") == 0) & (~F.col("unread") | (validated > 0)))


def _doubled() -> Column:
    validated = F.col("silver") + F.col("quarantine")
    return (F.col("archive") > 1) | (F.col("bronze") > 1) | (validated > 1)


def _counts(at: DataFrame, spans: Sequence[OffsetRange]) -> DataFrame:
    """Per partition: how many offsets each table has, and the faults."""
    return at.groupBy("topic", "partition").agg(
        F.count("*").alias("seen"),
        F.min("offset").alias("first"),
        F.max("offset").alias("last"),
        F.count_if(F.col("archive") > 0).alias("archived"),
        F.count_if(F.col("bronze") > 0).alias("bronze"),
        F.count_if(F.col("silver") > 0).alias("silver"),
        F.count_if(F.col("quarantine") > 0).alias("quarantined"),
        F.count_if((F.col("archive") > 0) & (F.col("bronze") == 0) & F.col("unread")).alias("unread"),
        F.count_if(_missing()).alias("missing"),
        F.count_if(_doubled()).alias("doubled"),
        F.count_if(_is_nowhere()).alias("without"),
    )


def _tally(
    span: OffsetRange, row: Mapping[str, Any], lost: Sequence[Range], faulty: Mapping[str, Sequence[Range]]
) -> OffsetCounts:
    """The counts of a range. Of the offsets that no table has, those that were `lost` are missing, the others are empty."""
    told = {name: row.get(name, 0) for name in ("archived", "unread", "bronze", "silver", "quarantined", "doubled")}
    unaccounted = size_of(faulty.get("unaccounted", ()))
    counts = {
        "log": span.size,
        "gaps": span.size_in_gaps,
        "accepted": span.end - span.start - span.size - span.size_in_gaps,
        "empty": span.size - row.get("seen", 0) - size_of(lost),
        **told,
        "duplicates": row.get("without", 0) - unaccounted,
        "missing": row.get("missing", 0) + size_of(lost),
        "unaccounted": unaccounted,
    }
    return OffsetCounts(span, counts, {fault: faulty.get(fault, ()) for fault in FAULTS})
