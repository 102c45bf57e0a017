"""A changed contract, tried on records: does it accept all that the one before it has accepted, and what else does it accept?

Data flow: silver's newest events and quarantine's records with their bytes -> `validate` by the code -> Tried
Run: daybreak plan

Whether one rule is wider than another can't be told from their code; what they say of the records that came can.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from batch.archive.archived import days_of_records
from batch.archive.events import ARCHIVE
from infra.lake import arrow_tables
from infra.lake.columns import struct
from infra.lake.rows import arrow, from_arrow
from infra.lake.tables import Table
from streaming.contracts import CONTRACTS
from streaming.reasons import Reason
from streaming.tables.bronze import RECORD
from streaming.tables.silver import QUARANTINE, REJECTED, SILVER
from streaming.validation.validate import validate_by

MOST = 20_000
"""Records of each sort that are tried."""
DAYS = 7
"""Of so many days, the newest with records, those are taken."""
COLUMNS = RECORD.fieldNames()
QUARANTINED = struct(*RECORD.fields, REJECTED["reasons"])


@dataclass(frozen=True)
class Tried:
    """`accepted`, `quarantined`: how many records that were so are tried; `refused`, `freed`: how many of them are not any more,
    and one of each, with the reasons that it gets now or had before."""

    topic: str
    accepted: int = 0
    refused: int = 0
    refused_one: str | None = None
    quarantined: int = 0
    freed: int = 0
    freed_one: str | None = None

    @property
    def is_compatible(self) -> bool | None:
        """Is everything accepted that was? None: there was nothing to try."""
        return self.refused == 0 if self.accepted else None


def tried(session: SparkSession, topic: str, versions: Collection[str]) -> Tried:
    """Try the code's contract of a topic on what its contracts of some `versions`, those in force, have accepted and refused."""
    accepted, quarantined = _accepted(topic, versions), _quarantined(topic)
    both = pa.concat_tables([accepted, quarantined.select(COLUMNS)])
    if not both.num_rows:
        return Tried(topic)
    valid = validate_by(from_arrow(session, both, RECORD), (CONTRACTS[topic],))
    now = {
        (row["partition"], row["offset"]): row["reasons"]
        for row in valid.select("partition", "offset", "reasons").toArrow().to_pylist()
    }
    refused = [(at, now[at]) for at in _places(accepted) if now[at]]
    had = zip(_places(quarantined), quarantined["reasons"].to_pylist(), strict=True)
    freed = [(at, reasons) for at, reasons in had if not now[at]]
    return Tried(
        topic,
        accepted.num_rows,
        len(refused),
        _one(topic, refused),
        quarantined.num_rows,
        len(freed),
        _one(topic, freed),
    )


def _one(topic: str, found: list[tuple[tuple[int, int], list[str]]]) -> str | None:
    if not found:
        return None
    (partition, offset), reasons = max(found)
    return f"{topic}-{partition} at {offset}: {', '.join(reasons)}"


def _places(records: pa.Table) -> Iterator[tuple[int, int]]:
    return zip(records["partition"].to_pylist(), records["offset"].to_pylist(), strict=True)


def _accepted(topic: str, versions: Collection[str]) -> pa.Table:
    """Records of the archive that are events in silver, by a contract of these versions, from the newest days."""
    found = arrow([], RECORD)
    for piece in _events(topic, versions) if _has(ARCHIVE, SILVER) else ():
        found = pa.concat_tables([found, piece.cast(found.schema)])
        if found.num_rows >= MOST:
            break
    return found.slice(0, MOST)


def _events(topic: str, versions: Collection[str]) -> Iterator[pa.Table]:
    """Their records, piece by piece, of the newest day first."""
    for day in sorted(days_of_records(), reverse=True)[:DAYS]:
        own = (pc.field("topic") == topic) & (pc.field("day") == day)
        by = own & pc.field("definition").isin([*versions])
        places = _numbered(arrow_tables.read(SILVER, ["partition", "offset"], by))
        for piece in arrow_tables.pieces(ARCHIVE, COLUMNS, own):
            yield piece.filter(pc.is_in(_numbered(piece), value_set=places))


def _quarantined(topic: str) -> pa.Table:
    """The newest records of quarantine, with their reasons. One that is a conflict is valid by any contract."""
    nothing = arrow([], QUARANTINED)
    if not _has(QUARANTINE):
        return nothing
    pieces = arrow_tables.pieces(QUARANTINE, QUARANTINED.fieldNames(), pc.field("topic") == topic)
    own = (piece.filter(_is_refused(piece)).cast(nothing.schema) for piece in pieces)
    return arrow_tables.reduced(nothing, own, _newest, MOST)


def _is_refused(piece: pa.Table) -> pa.Array:
    return pa.array([reasons != [Reason.CONFLICT.value] for reasons in piece["reasons"].to_pylist()], pa.bool_())


def _newest(records: pa.Table) -> pa.Table:
    return records.take(pc.select_k_unstable(records, MOST, [("arrival", "descending")]))


def _numbered(records: pa.Table) -> pa.ChunkedArray:
    """A place in the topic as one number: an offset has fewer than 48 bits."""
    return pc.add(pc.multiply(records["partition"].cast(pa.int64()), pa.scalar(1 << 48, pa.int64())), records["offset"])


def _has(*tables: Table) -> bool:
    return all(arrow_tables.exists(table) for table in tables)
