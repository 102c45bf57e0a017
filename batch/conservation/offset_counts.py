"""OffsetCounts: how often archive, bronze, silver and quarantine hold each offset of some ranges, and the faults in that.

Data flow: archive, bronze, silver, quarantine -> one row per offset -> counts and faults per partition
Run: pytest tests/batch/test_offset_counts.py
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive import PLACE
from batch.conservation.offset_range import OffsetRange, within
from infra.kafka.places import At
from infra.lake.at_once import united
from infra.lake.materialize import materialized

COUNTS = {
    "log": "Offsets of the range outside of the archive's gaps",
    "gaps": "Offsets in the archive's gaps, left out of every other count",
    "empty": "Offsets without a record: transaction markers, or removed by compaction",
    "archived": "Offsets that the archive has",
    "unread": "Offsets that the archive has and the stream never read, because they are in its accepted gaps",
    "bronze": "Offsets that bronze has",
    "silver": "Offsets whose record is an event in silver",
    "quarantined": "Offsets whose record is in quarantine",
    "duplicates": "Offsets whose event is in silver from another record",
    "missing": "Offsets that archive or bronze lacks; a fault if it is not 0",
    "doubled": "Offsets that a table has more than once; a fault if it is not 0",
    "unaccounted": "Offsets of bronze whose event is neither in silver nor in quarantine; a fault if it is not 0",
}
"""The counts of a range, in offsets, and what each means; the last three are FAULTS."""
FAULTS = ("missing", "doubled", "unaccounted")
SHOWN = 5


@dataclass(frozen=True)
class OffsetCounts:
    """One range with its counts, and the first offsets of each kind of fault."""

    span: OffsetRange
    counts: Mapping[str, int]
    first: Mapping[str, Sequence[int]]

    def faults(self) -> list[str]:
        """A sentence per kind of fault; empty if everything adds up."""
        return [
            f"{self.counts[fault]} offsets of {self.span} are {fault}, the first at "
            f"{', '.join(map(str, self.first[fault])) or f'below the start of the log, {self.span.log_first}'}"
            for fault in FAULTS
            if self.counts[fault]
        ]


def tally(
    spans: Sequence[OffsetRange], archive: DataFrame, bronze: DataFrame, silver: DataFrame, quarantine: DataFrame
) -> list[OffsetCounts]:
    """Count every span, from the files that hold its offsets, and from silver's days of the duplicates."""
    if all(span.size == 0 for span in spans):
        return [_tally(span, {}, 0, []) for span in spans]
    at = offsets(spans, archive, bronze, silver, quarantine).persist()
    counted = {(row["topic"], row["partition"]): row.asDict() for row in _counts(at, spans).collect()}
    nowhere: dict[At, Any] = {}
    if any(row["without"] for row in counted.values()):
        lost = without_original(at.where(_is_nowhere()), archive.where(_held(spans)), silver)
        rows = lost.groupBy("topic", "partition").agg(F.count("*").alias("rows"), _first("offset")).collect()
        nowhere = {(row["topic"], row["partition"]): row for row in rows}
    at.unpersist()
    found = []
    for span in spans:
        lost_here = nowhere.get(span.at)
        rows_lost, first = (lost_here["rows"], lost_here["first"]) if lost_here else (0, [])
        found.append(_tally(span, counted.get(span.at, {}), rows_lost, first))
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


def _counts(at: DataFrame, spans: Sequence[OffsetRange]) -> DataFrame:
    """Per partition: how many offsets each table has, and the faults."""
    validated = F.col("silver") + F.col("quarantine")
    missing = (F.col("archive") == 0) | ((F.col("bronze") == 0) & (~F.col("unread") | (validated > 0)))
    doubled = (F.col("archive") > 1) | (F.col("bronze") > 1) | (validated > 1)
    gone = reduce(lambda one, other: one | other, [within(span.at, [(span.start, span.log_first)]) for span in spans])
    return at.groupBy("topic", "partition").agg(
        F.count("*").alias("seen"),
        F.count_if(gone & ~F.col("unread")).alias("seen_gone"),
        F.count_if(F.col("archive") > 0).alias("archived"),
        F.count_if(F.col("bronze") > 0).alias("bronze"),
        F.count_if(F.col("silver") > 0).alias("silver"),
        F.count_if(F.col("quarantine") > 0).alias("quarantined"),
        F.count_if((F.col("archive") > 0) & (F.col("bronze") == 0) & F.col("unread")).alias("unread"),
        F.count_if(missing).alias("missing"),
        F.count_if(doubled).alias("doubled"),
        _first(F.when(missing, F.col("offset")), "missing_first"),
        _first(F.when(doubled, F.col("offset")), "doubled_first"),
        F.count_if(_is_nowhere()).alias("without"),
    )


def _first(offset: Column | str, name: str = "first") -> Column:
    return F.slice(F.sort_array(F.collect_list(offset)), 1, SHOWN).alias(name)


def _tally(span: OffsetRange, row: Mapping[str, Any], unaccounted: int, first: Sequence[int]) -> OffsetCounts:
    """The counts of a range. An offset that no table has is empty; if the log no longer has it either, it is missing."""
    told = {name: row.get(name, 0) for name in ("archived", "unread", "bronze", "silver", "quarantined", "doubled")}
    gone = span.size_gone - row.get("seen_gone", 0)
    counts = {
        "log": span.size,
        "gaps": span.end - span.start - span.size,
        "empty": span.size - row.get("seen", 0) - gone,
        **told,
        "duplicates": row.get("without", 0) - unaccounted,
        "missing": row.get("missing", 0) + gone,
        "unaccounted": unaccounted,
    }
    firsts = {"missing": row.get("missing_first", []), "doubled": row.get("doubled_first", []), "unaccounted": first}
    return OffsetCounts(span, counts, firsts)
