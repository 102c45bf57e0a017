"""The tables of the lake and the one process that may write each.

Data flow: layer name -> writer
Run: daybreak tables
"""

from dataclasses import dataclass
from enum import StrEnum

from pyspark.sql.types import StructType

from infra.settings import settings


class Writer(StrEnum):
    """A process that writes tables. Delta on S3 is safe for one driver per table only."""

    STREAM = "stream"
    NIGHT = "night"
    GATEWAY = "gateway"


WRITERS = {
    "bronze": Writer.STREAM,
    "silver": Writer.STREAM,
    "speed": Writer.STREAM,
    "archive": Writer.NIGHT,
    "truth": Writer.NIGHT,
    "reconciliation": Writer.NIGHT,
    "gold": Writer.GATEWAY,
}
"""The writer of every table of a layer."""

LAYERS = {
    "bronze": "Kafka records, unchanged.",
    "silver": "Valid events, one row per event id, and the rejected records.",
    "speed": "The stream's provisional rows of each view, with the time of each write: append-only.",
    "archive": "Kafka records, read again by the night, by offset.",
    "truth": "The rows of silver and speed, recomputed for whole days from the archive.",
    "reconciliation": "Results of the night's comparison of the stream with the truth.",
}
"""Descriptions of the layers below gold."""


@dataclass(frozen=True)
class Table:
    """One Delta table: `layer/name` under the lake root, its columns, and its partition columns.

    `description` says what one row is. dbt's sources and the docs are generated from it and from the columns' comments.
    """

    layer: str
    name: str
    schema: StructType
    partitioned_by: tuple[str, ...] = ()
    constraints: tuple[tuple[str, str], ...] = ()
    description: str = ""

    @property
    def id(self) -> str:
        """`layer/name`."""
        return f"{self.layer}/{self.name}"

    @property
    def sql(self) -> str:
        """The name under which SQL finds it."""
        return f"{self.layer}.{self.name}"

    @property
    def path(self) -> str:
        """Where Spark finds it."""
        return f"{settings().lake}/{self.id}"

    @property
    def writer(self) -> Writer:
        """The one process that writes it."""
        return WRITERS[self.layer]
