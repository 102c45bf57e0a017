"""The tables of the lake as they are, read without Spark.

Data flow: Delta logs under the lake root -> rows, version, writer of each table
Run: daybreak tables
"""

from collections.abc import Iterator
from dataclasses import dataclass

from deltalake import DeltaTable

from infra.gateway import delta_tables
from infra.settings import Settings
from infra.tables import WRITERS


@dataclass(frozen=True)
class Listed:
    """One table: `layer.name`, its path as Spark writes it, its rows and version now, and its one writer."""

    name: str
    path: str
    rows: int
    version: int
    writer: str


def storage_options(s: Settings) -> dict[str, str]:
    """How delta-rs reaches the store."""
    return {
        "AWS_ENDPOINT_URL": s.s3_endpoint,
        "AWS_ALLOW_HTTP": str(s.s3_endpoint.startswith("http://")).lower(),
        "AWS_REGION": s.s3_region,
        "AWS_ACCESS_KEY_ID": s.s3_access_key,
        "AWS_SECRET_ACCESS_KEY": s.s3_secret_key.get_secret_value(),
    }


def listed(s: Settings) -> Iterator[Listed]:
    """Every table, layer by layer; the rows are counted from the log's own statistics."""
    for layer, name in delta_tables(s):
        table = DeltaTable(f"s3://{s.bucket}/{layer}/{name}", storage_options=storage_options(s))
        path = f"{s.lake}/{layer}/{name}"
        yield Listed(f"{layer}.{name}", path, table.count(), table.version(), WRITERS[layer].value)
