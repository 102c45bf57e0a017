"""Read parts of the lake's tables at once, each opened once, without Spark: only files that can have the rows are looked at.

Data flow: tables of the lake -> rows as dicts, or pieces in Arrow
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from pyarrow import dataset

from infra.lake import arrow_tables
from infra.lake.login import failed
from infra.lake.tables import Table
from streaming.versions.generation import of_tables

AT_ONCE = 8
"""Tables opened or read at once: most of the time is spent waiting for the store."""
NO_COLUMN = "No match for FieldRef"
MILLISECOND = timedelta(milliseconds=1)
Row = dict[str, Any]
Bound = tuple[str, str, Any]
"""A column, a comparison and a value."""


@dataclass(frozen=True)
class Where:
    """Which rows. `files`: bounds that all of them keep (in lists: those of either list), by which files are left out.

    Arrow's dataset knows the bounds of all files too, but takes a millisecond for each before it leaves one out.
    """

    rows: pc.Expression
    files: list[Bound] | list[list[Bound]] = field(default_factory=list)


def equal(**values: Any) -> Where:
    """The rows with these values. The ledger writes times in milliseconds, so one names all instants in it."""
    rows, files = pc.scalar(True), list[Bound]()
    for name, value in values.items():
        own, of_file = _equal(name, value)
        rows, files = rows & own, [*files, *of_file]
    return Where(rows, files)


def _equal(name: str, value: Any) -> tuple[pc.Expression, list[Bound]]:
    at = pc.field(name)
    if value is None:
        return at.is_null(), []
    if isinstance(value, datetime) and not value.microsecond % 1000:
        end = value + MILLISECOND
        return (at >= value) & (at < end), [(name, ">=", value), (name, "<", end)]
    return at == value, [(name, "=", value)]


Part = tuple[Table, Sequence[str] | None, Where]
"""A table, its columns (None: all) and which of its rows."""


class Reading:
    """Tables of the lake as they are now. One that does not exist has no rows. `generation`: of the stream's checkpoint."""

    def __init__(self, tables: Iterable[Table]) -> None:
        own = list(tables)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            generation = pool.submit(of_tables)
            self._open = dict(zip([one.id for one in own], pool.map(_opened, own), strict=True))
            self.generation = generation.result()

    def columns(self, table: Table) -> list[str]:
        """The table's columns; none if it does not exist."""
        held = self._open[table.id]
        return pa.schema(held.schema().to_arrow()).names if held else []

    def rows(self, *parts: Part) -> list[list[Row]]:
        """The rows of each part; times are aware, in UTC, maps are dicts. A column that the table has not got is left out."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda part: self._rows(*part), parts))

    def pieces(self, table: Table, columns: Sequence[str], where: Where) -> Iterator[pa.Table]:
        """The rows piece by piece, where they may be too many to hold."""
        if found := self._files(table, where):
            for batch in found.scanner(columns=list(columns), filter=where.rows).to_batches():
                yield pa.Table.from_batches([batch])

    def _rows(self, table: Table, columns: Sequence[str] | None, where: Where) -> list[Row]:
        found = self._files(table, where)
        if found is None:
            return []
        names = None if columns is None else [name for name in columns if name in found.schema.names]
        try:
            return [dict(row) for row in found.to_table(names, filter=where.rows).to_pylist(maps_as_pydicts="strict")]
        except pa.ArrowInvalid as failure:
            # Of a topic that the table's writer has not written yet: it adds the column with the first event.
            if NO_COLUMN in str(failure):
                return []
            raise
        except OSError as failure:
            raise failed(f"{table.id} cannot be read", failure) from failure

    def _files(self, table: Table, where: Where) -> dataset.Dataset | None:
        held = self._open[table.id]
        if held is None:
            return None
        return held.to_pyarrow_dataset(filesystem=arrow_tables.files(table), file_pruning_predicate=where.files or None)


def _opened(table: Table) -> DeltaTable | None:
    return arrow_tables.latest(table) if arrow_tables.exists(table) else None
