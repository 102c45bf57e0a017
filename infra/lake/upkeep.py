"""Maintenance of tables by their own writer: compact small files, remove old files and log entries, delete old rows.

Data flow: Table -> compact every two minutes; once a day vacuum, and delete rows older than DAYBREAK_KEEP_DAYS
Run: python -m batch upkeep

delta-rs does all of it, beside the writer's own appends. A compaction marks its files as unchanged data, so it does not
conflict with an append. Nothing here touches a table that another process writes (`Table.writer`).
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Any

from deltalake import DeltaTable

from infra.lake import reader
from infra.lake.form import refuse_foreign
from infra.lake.tables import Table
from infra.settings import settings

DAY_SECONDS = 86_400
KEPT_HOURS = 24 * 7
"""A week of versions: long enough to read the tables as they were when a night compared them."""
SMALL = 1 << 20
"""The stream's compaction leaves files of 1 MiB and more alone, so that a byte is rewritten some five times at most."""
WHOLE = 64 << 20
"""The same limit for the daily compaction, which rewrites a byte once or twice more."""
MANY = 20
"""Fewer small files of a partition are not worth a commit."""
AT_ONCE = 256 << 20
"""Bytes that one compaction rewrites at most, so that it ends in seconds; what is left waits for the next."""
DATED_BY = ("day", "arrival", "committed_at")
"""The columns that date a row; the first that a table has is used. A table with none of them (gaps) keeps all rows."""
Partition = tuple[tuple[str, str], ...]


def compact(table: Table, target: int = SMALL) -> int:
    """Compact small files, partition by partition, most files first; returns the number of files removed.

    Files of `target` bytes and more are never rewritten, and at most AT_ONCE bytes are: the cost follows what was written
    since, not the table's size or age.
    """
    opened, spent, gone = _opened(table), 0, 0
    for partition, sizes in sorted(_small(opened, target).items(), key=lambda found: -len(found[1])):
        if len(sizes) < MANY or (spent and spent + sum(sizes) > AT_ONCE):
            continue
        spent += sum(sizes)
        only = [(name, "=", value) for name, value in partition]
        done = opened.optimize.compact(partition_filters=only or None, target_size=target)
        gone += int(done["numFilesRemoved"])
    return gone


def vacuum(table: Table) -> int:
    """Remove the files that no version of the last week needs, and those of writers that died; returns their number.

    Expired entries of the log are removed as well (`delta.logRetentionDuration`).
    """
    opened = _opened(table)
    removed = opened.vacuum(retention_hours=KEPT_HOURS, dry_run=False, full=True)
    opened.cleanup_metadata()
    return len(removed)


def shorten(table: Table) -> None:
    """Remove expired entries of the log (`delta.logRetentionDuration`)."""
    _opened(table).cleanup_metadata()


def forget(table: Table, days: int, today: date | None = None, sparing: str | None = None) -> int:
    """Delete the rows that are more than `days` days old; returns their number, 0 where a table has no such rows.

    Rows of which the SQL condition `sparing` holds stay, however old.

    Their files stay for another week (`vacuum`). The newest rows stay whatever their age, because an idle
    stream finds its position in them. Day partitions are deleted without being read.
    """
    named = next((name for name in DATED_BY if name in table.schema.fieldNames()), None)
    opened = _opened(table)
    ages = _newest(opened, named) if named else []
    if named is None or not ages:
        return 0
    before = (today or datetime.now(UTC).date()) - timedelta(days=days)
    first_kept = before if named == "day" else datetime(before.year, before.month, before.day, tzinfo=UTC)
    # A delete without rows would still be a commit.
    if not any(oldest < first_kept for oldest, _ in ages):
        return 0
    bound = min(first_kept, max(newest for _, newest in ages))
    too_old = f"{named} < {_literal(bound)}" + (f" AND NOT ({sparing})" if sparing else "")
    return int(opened.delete(too_old)["num_deleted_rows"] or 0)


def tidy(tables: Iterable[Table], sparing: Mapping[str, str] = MappingProxyType({})) -> None:
    """The daily maintenance of a writer's own tables: delete rows by DAYBREAK_KEEP_DAYS, compact, vacuum.

    `sparing`: by the table's id, which of its rows are never deleted (a SQL condition).
    """
    keep: Mapping[str, int] = {str(layer): days for layer, days in settings().keep_days.items()}
    for table in tables:
        if table.layer in keep:
            forget(table, keep[table.layer], sparing=sparing.get(table.id))
        compact(table, WHOLE)
        vacuum(table)


class Daily:
    """A daily timer: `due()` is True once a day, and then restarts the clock."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def due(self) -> bool:
        """Has a day passed since the last time, or since the start?"""
        if time.monotonic() - self._since < DAY_SECONDS:
            return False
        self._since = time.monotonic()
        return True


def _opened(table: Table) -> DeltaTable:
    """Open the table anew, to change it: the memory of a cached handle grows with every version.

    A compaction would write null for what delta-rs cannot read: raises PermanentFailure if the table's form is not ours.
    """
    place = table.path.removeprefix("file:").replace("s3a://", "s3://", 1)
    at = DeltaTable(place, storage_options=reader.options(settings()) if place.startswith("s3://") else None)
    refuse_foreign(table, at)
    return at


def _files(opened: DeltaTable) -> list[dict[str, Any]]:
    """Path, size, partition and statistics of every file, a column each (`partition.day`, `min.arrival`, ...)."""
    columns = opened.get_add_actions(flatten=True)
    names = columns.schema.names
    values = [columns.column(name).to_pylist() for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _small(opened: DeltaTable, target: int) -> dict[Partition, list[int]]:
    """Sizes of the files below `target`, per partition."""
    found: dict[Partition, list[int]] = defaultdict(list)
    by = opened.metadata().partition_columns
    for file in _files(opened):
        if file["size_bytes"] < target:
            found[tuple((name, str(file[f"partition.{name}"])) for name in by)].append(file["size_bytes"])
    return found


def _newest(opened: DeltaTable, named: str) -> list[tuple[Any, Any]]:
    """The oldest and the newest value of a column in every file that says them: dates, or times in UTC."""
    found = []
    for file in _files(opened):
        low, high = (file.get(f"partition.{named}", file.get(f"{end}.{named}")) for end in ("min", "max"))
        if low is not None and high is not None:
            found.append((_timed(low), _timed(high)))
    return found


def _timed(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value


def _literal(bound: date) -> str:
    if isinstance(bound, datetime):
        # A plain TIMESTAMP would be in nanoseconds and without a zone, which delta-rs refuses to compare.
        return f"""arrow_cast('{bound.isoformat()}', 'Timestamp(Microsecond, Some("UTC"))')"""
    return f"DATE '{bound.isoformat()}'"
