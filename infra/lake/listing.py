"""List the tables of the lake and their columns, without Spark.

Data flow: Delta logs under the lake root -> rows, version, writer, description of each table; its columns
Run: daybreak tables; daybreak tables silver.events
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from infra.lake.reader import count, delta
from infra.lake.tables import WRITERS
from infra.settings import Settings
from infra.sql.gateway import delta_tables


@dataclass(frozen=True)
class Column:
    """A column, its type as SQL writes it where it is a plain one, and what it holds ("" where its table does not say)."""

    name: str
    type: str
    description: str


@dataclass(frozen=True)
class Listed:
    """One table: `layer.name`, what it holds, its rows and version now, its one writer, its path as Spark writes it."""

    name: str
    description: str
    rows: int
    version: int
    writer: str
    path: str


def listed(s: Settings) -> Iterator[Listed]:
    """Every table, layer by layer."""
    for layer, name in delta_tables(s):
        table = delta(s, f"{layer}/{name}")
        path, about = f"{s.lake}/{layer}/{name}", table.metadata().description or ""
        yield Listed(f"{layer}.{name}", about, count(s, f"{layer}/{name}"), table.version(), WRITERS[layer].value, path)


def columns(s: Settings, name: str) -> list[Column]:
    """The columns of the table `layer.name`. Raises PermanentFailure if there is none."""
    fields = json.loads(delta(s, name.replace(".", "/", 1)).schema().to_json())["fields"]
    return [Column(one["name"], _type(one["type"]), one["metadata"].get("comment", "")) for one in fields]


def _type(kind: str | dict[str, object]) -> str:
    return {"long": "bigint", "integer": "int"}.get(kind, kind) if isinstance(kind, str) else str(kind["type"])
