"""Files of a table that tasks write, where the rows are, and the driver commits: it gets names and statistics, and no rows.

Data flow: rows in a task -> Parquet files in the table's folder -> their `add` actions -> one commit by delta-rs, with its `txn`
Run: pytest tests/infra/test_task_files.py
Source: Delta transaction log protocol, "Add File", "Per-file Statistics".

A file that is not committed is none of the table's; `tidy` removes it in time, as of a task that was repeated.
"""

import json
import re
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import Transaction
from deltalake.transaction import AddAction, RemoveAction

from infra.failures import PermanentFailure
from infra.lake import access, arrow_tables
from infra.lake.folder import Folder, folder
from infra.lake.tables import Table
from infra.lake.writes import KEEPS_LOG, named_failures, stamp, to_append
from infra.settings import settings

LONGEST = 64
"""Characters of a text up to which the smallest and largest of a file are told."""
MILLISECOND = timedelta(milliseconds=1)
CHECK = re.compile(r"(\w+) (?:IS NOT NULL|>= (\d+))")
"""The conditions of tables that are checked by what a file's statistics say."""


@dataclass(frozen=True)
class Target:
    """A table as a task needs it: where, its columns (a serialized Arrow schema), partition columns and conditions."""

    id: str
    folder: Folder
    schema: bytes
    partitioned_by: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Written:
    """A file: `path` in the table's folder, bytes, rows, values of the partition columns, and statistics as Delta's JSON."""

    path: str
    size: int
    rows: int
    values: Mapping[str, str]
    stats: str


def target(table: Table) -> Target:
    """In the driver. Raises PermanentFailure for a condition that statistics do not answer, and where there is no table."""
    if unknown := [condition for _, condition in table.constraints if not CHECK.fullmatch(condition)]:
        raise PermanentFailure(f"{table.id}: tasks cannot check {unknown[0]}")
    schema = pa.schema(arrow_tables.latest(table).schema().to_arrow())
    conditions = tuple(condition for _, condition in table.constraints)
    own = folder(settings(), arrow_tables.place(table))
    return Target(table.id, own, schema.serialize().to_pybytes(), table.partitioned_by, conditions)


def write(rows: pa.Table, into: Target) -> list[Written]:
    """In a task: write the rows, a file for each value of the partition columns; nothing if there are none.

    Raises ValueError for a column that the table has not got, or a value that breaks one of its conditions.
    """
    if not rows.num_rows:
        return []
    fitted = arrow_tables.fitted_to(rows, pa.ipc.read_schema(pa.py_buffer(into.schema)))
    return [_written(values, own, into) for values, own in _parts(fitted, into.partitioned_by)]


def append_files_once(files: Iterable[Written], table: Table, writer: str, version: int) -> None:
    """In the driver: the same as `append_once` of the rows in these files. Raises as it does."""
    access.writes(table)
    found, at = list(files), to_append(table, writer, version)
    if not found or at is None:
        return
    now = round(time.time() * 1000)
    actions: list[AddAction | RemoveAction] = [
        AddAction(one.path, one.size, one.values, now, True, one.stats) for one in found
    ]
    with named_failures(table):
        at.create_write_transaction(
            actions,
            "append",
            at.schema(),
            [*table.partitioned_by],
            commit_properties=stamp(Transaction(writer, version)),
            post_commithook_properties=KEEPS_LOG,
        )


def _parts(rows: pa.Table, columns: tuple[str, ...]) -> Iterator[tuple[dict[str, str], pa.Table]]:
    if not columns:
        yield {}, rows
        return
    for values in rows.select(columns).group_by([*columns], use_threads=False).aggregate([]).to_pylist():
        own = rows
        for name, value in values.items():
            own = own.filter(pc.equal(own[name], pa.scalar(value, own[name].type)))
        yield {name: str(value) for name, value in values.items()}, own.drop_columns([*columns])


def _written(values: dict[str, str], rows: pa.Table, into: Target) -> Written:
    found: list[Any] = []
    body = pa.BufferOutputStream()
    with pq.ParquetWriter(body, rows.schema, compression="snappy", metadata_collector=found) as file:
        file.write_table(rows)
    whole = body.getvalue()
    told = _statistics(pq.read_metadata(pa.BufferReader(whole)), rows.schema)
    for condition in into.conditions:
        _check(condition, told, into)
    path = "/".join([*(f"{name}={value}" for name, value in values.items()), f"part-{uuid.uuid4()}.snappy.parquet"])
    into.folder.put(path, whole)
    return Written(path, whole.size, rows.num_rows, values, json.dumps(told))


def _statistics(found: pq.FileMetaData, schema: pa.Schema) -> dict[str, Any]:
    """Delta's statistics of the columns at the top, from those of Parquet."""
    names = {name for name in schema.names if _is_ordered(schema.field(name).type)}
    low: dict[str, Any] = {}
    high: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    unknown = set()
    for group, place in ((group, place) for group in range(found.num_row_groups) for place in range(found.num_columns)):
        own = found.row_group(group).column(place)
        name, told = own.path_in_schema, own.statistics
        if name not in names:
            continue
        if told is None or not told.has_null_count:
            unknown.add(name)
            continue
        nulls[name] = nulls.get(name, 0) + told.null_count
        if told.has_min_max:
            low[name] = min(low.get(name, told.min), told.min)
            high[name] = max(high.get(name, told.max), told.max)
        elif told.null_count < own.num_values:
            unknown.add(name)
    for name in unknown | {name for name, value in high.items() if isinstance(value, str) and len(value) > LONGEST}:
        low.pop(name, None), high.pop(name, None)
    return {
        "numRecords": found.num_rows,
        "minValues": {name: _text(value) for name, value in low.items()},
        "maxValues": {name: _text(value, up=True) for name, value in high.items()},
        "nullCount": {name: count for name, count in nulls.items() if name not in unknown},
    }


def _is_ordered(of: pa.DataType) -> bool:
    kinds = (pa.types.is_integer, pa.types.is_date, pa.types.is_timestamp, pa.types.is_string, pa.types.is_boolean)
    return any(is_so(of) for is_so in kinds)


def _text(value: Any, up: bool = False) -> Any:
    """As Delta's JSON has it: times in milliseconds, of the largest the next one."""
    if isinstance(value, datetime):
        cut = value.astimezone(UTC).replace(microsecond=value.microsecond // 1000 * 1000)
        cut += MILLISECOND if up and cut < value else timedelta(0)
        return f"{cut:%Y-%m-%dT%H:%M:%S}.{cut.microsecond // 1000:03d}Z"
    return value.isoformat() if isinstance(value, date) else value


def _check(condition: str, told: Mapping[str, Any], into: Target) -> None:
    kept = CHECK.fullmatch(condition)
    assert kept
    name, least = kept.groups()
    holds = told["nullCount"].get(name) == 0 if least is None else told["minValues"].get(name, -1) >= int(least)
    if not holds:
        raise ValueError(f"{into.id}: rows break {condition}, so nothing of them is written")


def united(files: Iterable[Iterable[Written]]) -> list[Written]:
    """Those of several tasks."""
    return list(chain.from_iterable(files))
