"""Read parts of the lake's tables at once, each opened once, without Spark: conditions are pushed down to the files.

Data flow: tables of the lake -> rows as dicts, or pieces in Arrow
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset

from infra.lake import arrow_tables
from infra.lake.login import failed
from infra.lake.tables import Table
from streaming.generation import of_tables

AT_ONCE = 8
"""Tables opened or read at once: most of the time is spent waiting for the store."""
NO_COLUMN = "No match for FieldRef"
Row = dict[str, Any]
Part = tuple[Table, Sequence[str] | None, pc.Expression]
"""A table, its columns (None: all) and the condition of its rows."""


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
        return list(held.schema.names) if held else []

    def rows(self, *parts: Part) -> list[list[Row]]:
        """The rows of each part; times are aware, in UTC, maps are dicts. A column that the table has not got is left out."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(lambda part: self._rows(*part), parts))

    def pieces(self, table: Table, columns: Sequence[str], where: pc.Expression | None = None) -> Iterator[pa.Table]:
        """The rows piece by piece, where they may be too many to hold."""
        if held := self._open[table.id]:
            for batch in held.scanner(columns=list(columns), filter=where).to_batches():
                yield pa.Table.from_batches([batch])

    def _rows(self, table: Table, columns: Sequence[str] | None, where: pc.Expression) -> list[Row]:
        held = self._open[table.id]
        if held is None:
            return []
        names = None if columns is None else [name for name in columns if name in held.schema.names]
        try:
            return [dict(row) for row in held.to_table(names, filter=where).to_pylist(maps_as_pydicts="strict")]
        except pa.ArrowInvalid as failure:
            # Of a topic that the table's writer has not written yet: it adds the column with the first event.
            if NO_COLUMN in str(failure):
                return []
            raise
        except OSError as failure:
            raise failed(f"{table.id} cannot be read", failure) from failure


def _opened(table: Table) -> dataset.Dataset | None:
    if not arrow_tables.exists(table):
        return None
    return arrow_tables.latest(table).to_pyarrow_dataset(filesystem=arrow_tables.files(table))
