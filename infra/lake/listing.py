"""The tables of the lake as they are, read without Spark.

Data flow: Delta logs under the lake root -> rows, version, writer of each table
Run: daybreak tables
"""

from collections.abc import Iterator
from dataclasses import dataclass

from infra.lake.reader import delta
from infra.lake.tables import WRITERS
from infra.settings import Settings
from infra.sql.gateway import delta_tables


@dataclass(frozen=True)
class Listed:
    """One table: `layer.name`, its path as Spark writes it, its rows and version now, and its one writer."""

    name: str
    path: str
    rows: int
    version: int
    writer: str


def listed(s: Settings) -> Iterator[Listed]:
    """Every table, layer by layer; the rows are counted from the log's own statistics."""
    for layer, name in delta_tables(s):
        table = delta(s, f"{layer}/{name}")
        path = f"{s.lake}/{layer}/{name}"
        yield Listed(f"{layer}.{name}", path, table.count(), table.version(), WRITERS[layer].value)
