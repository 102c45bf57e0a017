"""Second copies: offsets that the stream has read again in a later generation; a rebuild removes what it wrote of them.

Data flow: speed/progress -> offsets per generation that an earlier one had read -> rows deleted from bronze, silver, quarantine
Run: python -m streaming rebuild

A version before topics kept their positions read a topic from its beginning when its option was turned on again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from delta.tables import DeltaTable
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

from infra.kafka.places import At
from infra.lake import arrow_tables
from infra.lake.lease import still_held
from infra.lake.tables import Table
from streaming.tables.progress import INGEST, PROGRESS


@dataclass(frozen=True)
class ReadAgain:
    """Offsets [start, end) of a partition that `generation` has read though an earlier one had."""

    generation: str
    topic: str
    partition: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"

    def holds(self) -> Column:
        """Over topic, partition, offset, generation: is it one of the second copies?"""
        is_here = (F.col("topic") == self.topic) & (F.col("partition") == self.partition)
        within = (F.col("offset") >= self.start) & (F.col("offset") < self.end)
        return is_here & within & (F.col("generation") == self.generation)


def read_again() -> list[ReadAgain]:
    """What later generations have read again; generations sort by their start."""
    ranges: dict[str, dict[At, tuple[int, int]]] = {}
    for piece in arrow_tables.pieces(PROGRESS, ["generation", "offsets"], pc.field("query") == INGEST):
        for generation, at, start, end in _ranges(piece):
            known = ranges.setdefault(generation, {}).get(at, (start, end))
            ranges[generation][at] = min(known[0], start), max(known[1], end)
    reached: dict[At, int] = {}
    found = []
    for generation, own in sorted(ranges.items()):
        for at, (start, end) in sorted(own.items()):
            if start < min(end, reached.get(at, 0)):
                found.append(ReadAgain(generation, *at, start, min(end, reached[at])))
            reached[at] = max(end, reached.get(at, 0))
    return found


def _ranges(piece: pa.Table) -> Iterable[tuple[str, At, int, int]]:
    """Generation, partition, first offset and one past the last, of one piece of progress."""
    offsets = piece["offsets"].combine_chunks()
    parts = pa.Table.from_struct_array(pc.list_flatten(offsets))
    parts = parts.append_column("generation", pc.take(piece["generation"], pc.list_parent_indices(offsets)))
    parts = parts.filter(pc.less(parts["from"], parts["to"]))
    spans = parts.group_by(["generation", "topic", "partition"]).aggregate([("from", "min"), ("to", "max")])
    for row in spans.to_pylist():
        yield row["generation"], (row["topic"], row["partition"]), row["from_min"], row["to_max"]


def remove_second_copies(session: SparkSession, tables: Iterable[Table]) -> list[ReadAgain]:
    """Delete them from tables of the stream, which must not run; returns of which offsets. Done again, it finds no rows."""
    found = read_again()
    if found:
        second = reduce(lambda one, other: one | other, [one.holds() for one in found])
        for table in tables:
            still_held()
            DeltaTable.forPath(session, table.path).delete(second)
    return found
