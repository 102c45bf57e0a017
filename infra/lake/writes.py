"""The two write operations: append a batch once, replace whole days. Spark writes DataFrames, delta-rs Arrow tables.

Data flow: DataFrame or Arrow -> Delta table, so that a repeated batch or run changes nothing
Run: pytest tests/infra/test_writes.py
Source: Delta Lake, "Idempotent table writes in foreachBatch" and "replaceWhere".

A commit by Spark costs 1.5 CPU-s, one by delta-rs 0.013, so delta-rs writes what a driver holds in memory. Both leave
the same rows and the same `txn` in the log, and a table's one writer may use both, one after the other.

A process that has lost its lease writes nothing. The table is opened, the lease is asked for, and delta-rs commits to the version
that was opened, with the lease as a `txn` of its own: if another holder has committed since, the log refuses it. Spark opens
the table itself, just after the question.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from infra.failures import PermanentFailure, TransientFailure
from infra.lake import access, arrow_tables
from infra.lake.form import refuse_foreign
from infra.lake.lease import still_held
from infra.lake.login import failed, refusal
from infra.lake.tables import Table
from infra.room import NO_ROOM, told
from infra.settings import settings

STORE = re.compile(r"Generic (?!DeltaTable\b)\w+ error")
"""How the store's errors begin, e.g. `Generic S3 error`. Delta-rs has one of its own, e.g. for a broken constraint."""
KEEPS_LOG = PostCommitHookProperties(cleanup_expired_logs=False)
"""Old entries of the log are removed once a day (infra/lake/upkeep.py): looking for them lists all of it."""
FEW = 200_000
"""Rows that a driver can easily hold in memory: some fifty megabytes of events."""
FEW_TEXTS = 50_000
"""And rows with a key and values as JSON, of several views at once."""
FEW_BYTES = 128 << 20
"""And bytes of rows that may have a megabyte each."""


def append_once(rows: DataFrame | pa.Table, table: Table, writer: str, version: int) -> None:
    """Append `rows` unless `writer` has already appended `version` or a later one.

    `version` must grow with every new content of the same `writer`, else the write is silently skipped.
    Raises TransientFailure if another process wrote as the same `writer` at the same time, PermanentFailure if another
    client has changed the table's form (infra/lake/form.py).
    """
    access.writes(table)
    if isinstance(rows, pa.Table):
        return _append(rows, table, writer, version)
    refuse_foreign(table, arrow_tables.latest(table))
    still_held()
    (
        rows.write.format("delta")
        .mode("append")
        .option("txnAppId", writer)
        .option("txnVersion", version)
        .save(table.path)
    )
    return None


def replace_days(
    rows: DataFrame | pa.Table, table: Table, days: Iterable[date], views: Collection[str] | None = None
) -> None:
    """Replace the rows of `days` (column `day`), or those of some `views` (column `view`), by `rows` in one commit.

    A row of another day or view is refused.
    """
    access.writes(table)
    listed = ", ".join(f"DATE'{day.isoformat()}'" for day in sorted(days))
    which = f"day IN ({listed})"
    if views is not None:
        which += " AND view IN ({})".format(", ".join(f"'{view}'" for view in sorted(views)))
    if isinstance(rows, pa.Table):
        return _replace(rows, table, {"day": set(days), "view": views}, which)
    refuse_foreign(table, arrow_tables.latest(table))
    still_held()
    rows.write.format("delta").mode("overwrite").option("replaceWhere", which).save(table.path)
    return None


def few(frame: DataFrame, weight: str = "", most: int | None = None) -> DataFrame | pa.Table:
    """The frame's rows as Arrow if there are at most `most` (FEW), else the frame itself; both can be written.

    `weight`: SQL for the bytes of a row that has them as sent; with more than FEW_BYTES of them the rows are not few.

    This evaluates the frame, so a large frame that is not cached is evaluated twice.
    """
    if weight and bytes_of(frame, weight) > FEW_BYTES:
        return frame
    most = FEW if most is None else most
    found = frame.limit(most + 1).toArrow()
    return found if found.num_rows <= most else frame


def bytes_of(frame: DataFrame, weight: str) -> int:
    """The sum of all rows' weights."""
    return frame.agg(F.sum(F.expr(weight))).collect()[0][0] or 0


def _append(rows: pa.Table, table: Table, writer: str, version: int) -> None:
    if at := to_append(table, writer, version):
        fitted = arrow_tables.fitted(rows, at)
        with named_failures(table):
            write_deltalake(
                at,
                fitted,
                mode="append",
                commit_properties=stamp(Transaction(writer, version)),
                post_commithook_properties=KEEPS_LOG,
            )


def to_append(table: Table, writer: str, version: int) -> DeltaTable | None:
    """The table to append to; None if `writer` has appended `version` or a later one. Raises as `append_once`."""
    at = arrow_tables.latest(table)
    refuse_foreign(table, at)
    known = at.transaction_version(writer)
    # delta-rs stores the version but does not check it.
    return at if known is None or known < version else None


def _replace(rows: pa.Table, table: Table, own: Mapping[str, Collection[Any] | None], which: str) -> None:
    for name, values in own.items():
        foreign = set() if values is None else set(pc.unique(rows[name]).to_pylist()) - {*values}
        if foreign:
            raise PermanentFailure(
                f"{table.id}: rows to replace {which} are of other {name}s: {sorted(map(str, foreign))}"
            )
    at = arrow_tables.latest(table)
    refuse_foreign(table, at)
    with named_failures(table):
        if rows.num_rows:
            fitted = arrow_tables.fitted(rows, at)
            write_deltalake(at, fitted, mode="overwrite", predicate=which, commit_properties=stamp())
        else:
            at.delete(which, commit_properties=stamp())


def stamp(*more: Transaction) -> CommitProperties:
    """Of a commit to a table that is open already: its `txn`, and one for each lease of this process, which it still has."""
    return CommitProperties(app_transactions=[*more, *(Transaction(f"lease {name}", 1) for name in still_held())])


@contextmanager
def named_failures(table: Table) -> Iterator[None]:
    """Turn errors that a retry can cure into TransientFailure, and refusals of the store into PermanentFailure."""
    try:
        yield
    except (CommitFailedError, OSError) as failure:
        raise _named(table, failure) from failure
    except DeltaError as failure:
        # A store that refuses a data file, not a commit: delta-rs has no type of its own for that.
        if not STORE.search(str(failure)) and not refusal(str(failure)):
            raise
        raise _named(table, failure) from failure


def _named(table: Table, failure: Exception) -> PermanentFailure | TransientFailure:
    """Of a full disk its name stands in place of the store's answer, which is long."""
    what = f"{table.id} was not written"
    if found := NO_ROOM.search(str(failure)):
        return TransientFailure(
            f"{what}: the store has no room left for it ({found[0]}){told(settings()) or ': free some'}"
        )
    return failed(what, failure)
