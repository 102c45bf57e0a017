"""Tables of the lake opened by delta-rs, in a bucket or a folder: a driver reads and writes them without a Spark job.

Data flow: Table -> DeltaTable at its newest version -> Arrow; Arrow rows -> the table's columns and types
Run: pytest tests/infra/test_writes_alike.py

A process that has used delta-rs must not fork without an exec, because its threads do not survive the fork.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from pyarrow import fs

from infra.failures import PermanentFailure
from infra.lake import access, reader
from infra.lake.folder import folder
from infra.lake.login import failed
from infra.lake.tables import Table
from infra.settings import settings

REOPEN_AFTER = 50
"""Versions after which a handle is reopened from the log's last checkpoint: its memory grows with every version."""
REOPEN_SECONDS = 300.0
"""A handle unused for this long is reopened too: the log entries that it would continue from may be gone."""


@dataclass
class _Held:
    handle: DeltaTable
    since: int
    at: float

    @property
    def is_young(self) -> bool:
        """Can it be updated from log entries? Tables that are often written keep them for half an hour."""
        return self.handle.version() - self.since < REOPEN_AFTER and time.monotonic() - self.at < REOPEN_SECONDS


_open: dict[tuple[str, ...], _Held] = {}
"""By place, endpoint and key."""


def place(table: Table) -> str:
    """The table's location for delta-rs."""
    return table.path.removeprefix("file:").replace("s3a://", "s3://", 1)


def store(table: Table) -> dict[str, str] | None:
    """The storage options of delta-rs; None for a folder."""
    return reader.options(settings()) if place(table).startswith("s3://") else None


def latest(table: Table) -> DeltaTable:
    """The table at its newest version, through a cached handle.

    Raises PermanentFailure if there is no table, TransientFailure if the store does not answer.
    """
    where, options = place(table), store(table)
    name = (where, *(options or {}).values())
    held = _open.get(name)
    try:
        if held and held.is_young:
            held.handle.update_incremental()
            held.at = time.monotonic()
        else:
            handle = DeltaTable(where, storage_options=options)
            held = _open[name] = _Held(handle, handle.version(), time.monotonic())
    except TableNotFoundError:
        raise PermanentFailure(f"there is no table {table.id} at {where}") from None
    except (DeltaError, OSError) as failure:
        _open.pop(name, None)
        raise failed(f"{table.id} cannot be opened at {where}", failure) from failure
    return held.handle


def exists(table: Table) -> bool:
    """Has the table been created? Raises TransientFailure if the store does not answer."""
    try:
        return DeltaTable.is_deltatable(place(table), store(table))
    except (DeltaError, OSError) as failure:
        raise failed(f"{table.id} cannot be opened at {place(table)}", failure) from failure


def identity(table: Table) -> str:
    """The id that the table got when it was created; a table that is created again has another."""
    return str(latest(table).metadata().id)


def property_of(table: Table, name: str) -> str | None:
    """One of the table's properties; None if it has not got it."""
    value = latest(table).metadata().configuration.get(name)
    return None if value is None else str(value)


def set_property(table: Table, name: str, value: str) -> None:
    """Give the table a property, or another value of it. Raises TransientFailure if the store does not answer."""
    try:
        # delta-rs knows no properties but Delta's own.
        latest(table).alter.set_table_properties({name: value}, raise_if_not_exists=False)
    except (DeltaError, OSError) as failure:
        raise failed(f"{table.id} cannot be written at {place(table)}", failure) from failure


def read(table: Table, columns: Sequence[str] | None = None, where: pc.Expression | None = None) -> pa.Table:
    """The table's rows at its newest version; all of them, or those for which `where` holds."""
    access.reads(table)
    at = latest(table)
    try:
        found = at.to_pyarrow_dataset(filesystem=files(table))
        return found.to_table(columns=None if columns is None else list(columns), filter=where)
    except OSError as failure:
        raise failed(f"{table.id} cannot be read at {place(table)}", failure) from failure


def pieces(table: Table, columns: Sequence[str], where: pc.Expression) -> Iterator[pa.Table]:
    """The same rows piece by piece, where they may be too many to hold."""
    access.reads(table)
    try:
        found = latest(table).to_pyarrow_dataset(filesystem=files(table)).scanner(columns=list(columns), filter=where)
        for batch in found.to_batches():
            yield pa.Table.from_batches([batch])
    except OSError as failure:
        raise failed(f"{table.id} cannot be read at {place(table)}", failure) from failure


def reduced(
    nothing: pa.Table, found: Iterable[pa.Table], reduce: Callable[[pa.Table], pa.Table], at_once: int
) -> pa.Table:
    """`reduce` of all pieces together; never more rows are held than `at_once` beside twice what it leaves."""
    kept, most = nothing, at_once
    for piece in found:
        kept = pa.concat_tables([kept, piece])
        if kept.num_rows > most:
            kept = reduce(kept)
            most = at_once + 2 * kept.num_rows
    return reduce(kept)


def rows(
    table: Table, columns: Sequence[str] | None = None, where: pc.Expression | None = None
) -> list[dict[str, Any]]:
    """The same as dicts. Maps are dicts too; times are aware, in UTC."""
    return [dict(row) for row in read(table, columns, where).to_pylist(maps_as_pydicts="strict")]


def count(table: Table) -> int:
    """The number of rows at the table's newest version, from its files' footers."""
    return int(latest(table).to_pyarrow_dataset(filesystem=files(table)).count_rows())


def records(table: Table, column: str, value: str) -> int:
    """The number of rows in one partition of a table, from the statistics in its log: no file is opened."""
    files = pa.table(latest(table).get_add_actions(flatten=True))
    own = files.filter(pc.equal(pc.cast(files[f"partition.{column}"], pa.string()), value))
    return int(pc.sum(own["num_records"]).as_py() or 0)


def fitted(found: pa.Table, at: DeltaTable) -> pa.Table:
    """The rows with the table's columns and types, as `fitted_to`."""
    return fitted_to(found, pa.schema(at.schema().to_arrow()))


def fitted_to(found: pa.Table, wanted: pa.Schema) -> pa.Table:
    """The rows with these columns and types; a column that they lack is null.

    Raises ValueError for a column that is not wanted, ArrowInvalid for a value that does not fit its column.
    """
    if unknown := sorted(set(found.column_names) - set(wanted.names)):
        raise ValueError(f"the table has no column {', '.join(unknown)}: its columns are {', '.join(wanted.names)}")
    columns = [
        found[field.name].cast(field.type) if field.name in found.column_names else pa.nulls(found.num_rows, field.type)
        for field in wanted
    ]
    return pa.Table.from_arrays(columns, schema=wanted)


def files(table: Table) -> fs.FileSystem:
    """The table's folder, by Arrow's own client."""
    return folder(settings(), place(table)).files
