"""Set a table back to its own form: to its last version before another client changed its protocol or properties.

Data flow: the table's log, newest version first -> the last one with our form -> a new version equal to it
Run: daybreak set-back silver.events
"""

from collections.abc import Callable
from dataclasses import dataclass

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyspark.sql import SparkSession

from infra import problems
from infra.failures import PermanentFailure, TransientFailure
from infra.lake import arrow_tables
from infra.lake.form import foreign, problem, source
from infra.lake.login import failed
from infra.lake.tables import Table
from infra.settings import settings

HARMLESS = {
    "SET TBLPROPERTIES",
    "UNSET TBLPROPERTIES",
    "UPGRADE PROTOCOL",
    "ADD FEATURE",
    "ADD CONSTRAINT",
    "ADD COLUMNS",
    "CHANGE COLUMN",
    "CHANGE COLUMNS",
    "RENAME COLUMN",
    "DROP COLUMNS",
    "CLUSTER BY",
    "OPTIMIZE",
    "VACUUM START",
    "VACUUM END",
}
"""Operations that neither add nor remove a row, by their names in Delta's log."""


VECTORS = "eletionVectors"
"""In the property `delta.enableDeletionVectors` and in the table feature."""


@dataclass(frozen=True)
class SetBack:
    """The version whose form and rows the table has again, what was wrong, and the operations undone, oldest first."""

    version: int
    wrong: tuple[str, ...]
    undone: tuple[str, ...]


def set_back(table: Table, session: Callable[[], SparkSession], with_rows: bool = False) -> SetBack | None:
    """Restore the last version with the table's own form; None if the newest one has it. Needs the writer's lease.

    `session` is asked for a Spark session only where rows were deleted by deletion vectors.
    Raises PermanentFailure if no kept version has it, or if rows were changed since, which would be undone, without `with_rows`.
    """
    at = _opened(table)
    wrong = foreign(table, at)
    if not wrong:
        problems.mended(settings(), source(table), [problem(table, wrong).id])
        return None
    newest = at.version()
    sound = _last_sound(table, newest)
    done = [f"{one.get('operation')}" for one in reversed(at.history(newest - sound))]
    changing = sorted({one for one in done if one not in HARMLESS})
    if changing and not with_rows:
        raise PermanentFailure(
            f"rows of {table.sql} were changed since version {sound}, the last with its own form ({', '.join(changing)}): "
            f"to undo that too, daybreak set-back {table.sql} --with-rows"
        )
    if any(VECTORS in one for one in wrong):
        _restore_by_spark(session(), table, sound)
    else:
        try:
            at.restore(sound, protocol_downgrade_allowed=True)
        except (DeltaError, OSError) as failure:
            raise failed(f"{table.sql} was not set back to version {sound}", failure) from failure
    problems.mended(settings(), source(table), [problem(table, wrong).id])
    return SetBack(sound, tuple(wrong), tuple(done))


def _restore_by_spark(session: SparkSession, table: Table, version: int) -> None:
    """delta-rs restores files, and leaves the rows of a file deleted that a deletion vector has marked so."""
    session.conf.set("spark.databricks.delta.restore.protocolDowngradeAllowed", "true")
    session.sql(f"RESTORE TABLE delta.`{table.path}` TO VERSION AS OF {version}")


def _last_sound(table: Table, newest: int) -> int:
    for version in range(newest - 1, -1, -1):
        try:
            before = _opened(table, version)
        except TransientFailure:
            break
        if not foreign(table, before):
            return version
    raise PermanentFailure(
        f"the log of {table.sql} no longer has a version with its own form: take the property or feature away with the client "
        "that set it (ALTER TABLE ... UNSET TBLPROPERTIES, or DROP FEATURE), then try again"
    )


def _opened(table: Table, version: int | None = None) -> DeltaTable:
    place, store = arrow_tables.place(table), arrow_tables.store(table)
    try:
        return DeltaTable(place, version=version, storage_options=store)
    except (DeltaError, OSError) as failure:
        raise failed(f"{table.id} cannot be opened at {place}", failure) from failure
