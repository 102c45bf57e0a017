"""Read the lake with delta-rs, without Spark: fast for small tables, and an independent check in tests.

Data flow: Delta table in the bucket -> Arrow
Run: daybreak tables
"""

import json
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from pyarrow import dataset

from infra.failures import PermanentFailure
from infra.lake.folder import folder
from infra.lake.login import failed, key
from infra.settings import Settings
from infra.store_users import User
from infra.tls import trust


class ColumnMissing(PermanentFailure):
    """A table lacks a column that its definition has by now: its writer has not written since that was added."""


def options(s: Settings, user: User | None = None) -> dict[str, str]:
    """The storage options with which delta-rs reaches the store, with this process's key, or a `user`'s."""
    own = key(s, user)
    trust.in_this_process(s)
    return {
        "AWS_ENDPOINT_URL": s.s3_endpoint,
        "AWS_REGION": s.s3_region,
        "AWS_ACCESS_KEY_ID": own.access,
        "AWS_SECRET_ACCESS_KEY": own.secret,
        "AWS_ALLOW_HTTP": str(s.s3_endpoint.startswith("http:")).lower(),
    }


def delta(s: Settings, table: str, version: int | None = None) -> DeltaTable:
    """The table `layer/name`. Raises PermanentFailure if there is none, TransientFailure if the store does not answer."""
    try:
        return DeltaTable(f"s3://{s.bucket}/{table}", version=version, storage_options=options(s))
    except TableNotFoundError:
        raise PermanentFailure(
            f"there is no table {table.replace('/', '.')} in bucket {s.bucket!r}: daybreak tables lists them"
        ) from None
    except (DeltaError, OSError) as failure:
        raise failed(f"the object store at {s.s3_endpoint} does not give {table}", failure) from failure


def exists(s: Settings, table: str) -> bool:
    """Is there a table `layer/name`? Raises TransientFailure if the store does not answer."""
    try:
        return DeltaTable.is_deltatable(f"s3://{s.bucket}/{table}", options(s))
    except (DeltaError, OSError) as failure:
        raise failed(f"the object store at {s.s3_endpoint} does not give {table}", failure) from failure


def found(s: Settings, table: str) -> DeltaTable | None:
    """The table; None if there is none. Raises TransientFailure if the store does not answer."""
    return delta(s, table) if exists(s, table) else None


def schema(at: DeltaTable) -> dict[str, Any]:
    """The table's schema in Spark's JSON."""
    read_schema: dict[str, Any] = json.loads(at.schema().to_json())
    return read_schema


def read(
    s: Settings,
    table: str,
    columns: list[str] | None = None,
    version: int | None = None,
    where: pc.Expression | None = None,
) -> pa.Table:
    """The table's rows, now or as of a version; all of them, or those for which `where` holds.

    Arrow reads the files through its own S3 client. Through delta-rs its threads would call Python; one that still does
    when the process ends would abort it. Raises ColumnMissing, PermanentFailure if there is no table, TransientFailure if the
    store does not answer.
    """
    try:
        files = _files(s, table, version)
        if missing := [name for name in columns or () if name not in files.schema.names]:
            raise ColumnMissing(
                f"{table} has no column {missing[0]} yet: its writer adds new columns when it writes next"
            )
        return files.to_table(columns=columns, filter=where)
    except pa.ArrowInvalid as failure:
        raise PermanentFailure(
            f"{table} cannot be read (its writer adds new columns when it starts next): {str(failure).splitlines()[0]}"
        ) from failure
    except OSError as failure:
        raise failed(f"the object store at {s.s3_endpoint} does not give {table}", failure) from failure


def count(s: Settings, table: str) -> int:
    """How many rows a table has now: by its log's statistics, or by its files' footers if its writer keeps no statistics."""
    found = pa.table(delta(s, table).get_add_actions(flatten=True))
    counts = found["num_records"].to_pylist() if "num_records" in found.column_names else [None] * found.num_rows
    try:
        return sum(counts) if None not in counts else _files(s, table, None).count_rows()
    except OSError as failure:
        raise failed(f"the object store at {s.s3_endpoint} does not give {table}", failure) from failure


def _files(s: Settings, table: str, version: int | None) -> dataset.Dataset:
    files = folder(s, f"s3://{s.bucket}/{table}").files
    return delta(s, table, version).to_pyarrow_dataset(filesystem=files)
