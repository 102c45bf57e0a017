"""The form of our tables: the Delta protocol and properties that they are made with. Another client's are named before we write.

Data flow: a table's newest protocol and metadata -> nothing, or PermanentFailure and a problem
Run: daybreak set-back silver.events

delta-rs writes tables whose form it does not know: with column mapping by name, a column that came later is null for
delta-rs and DuckDB, and so for a restart of the stream, while Spark reads its values.
"""

from collections.abc import Iterator, Mapping, Sequence

from deltalake import DeltaTable

from infra import problems
from infra.failures import PermanentFailure
from infra.lake.tables import Table, Writer
from infra.problems import Problem
from infra.settings import settings

PROPERTIES = {
    # Other readers (delta-rs, DuckDB) must be able to read every table.
    "delta.enableDeletionVectors": "false",
    "delta.checkpointInterval": "50",
    # Time travel to last week, and a view's rebuild, need old versions.
    "delta.logRetentionDuration": "interval 30 days",
}
OFTEN_WRITTEN = {"delta.checkpointInterval": "100", "delta.logRetentionDuration": "interval 30 minutes"}
"""For tables with a commit per micro-batch. Their history is in their rows, so their log need not keep it; Spark lists
the whole log at each access (Delta 4.4.0 can list less, but needs methods that this version of Hadoop lacks)."""
READER, WRITER = 1, 3
"""The highest protocol that a table of ours has: 3 has CHECK constraints. Above are column mapping, generated columns, deletion
vectors, and whatever a later Delta brings."""
FEATURES, FEATURE_WRITER = {"appendOnly", "invariants", "checkConstraints"}, 7
"""The same where the protocol names its features one by one, as delta-rs does."""
OWN, CONSTRAINT = "delta.", "delta.constraints."


def foreign(table: Table, at: DeltaTable) -> list[str]:
    """What the table has that we did not give it: properties with their values, and features. What it lacks does no harm."""
    return [*_properties(table, dict(at.metadata().configuration)), *_features(at)]


def _properties(table: Table, found: Mapping[str, str]) -> Iterator[str]:
    checks = {f"{CONSTRAINT}{name}": check for name, check in table.constraints}
    allowed = {name: {value, OFTEN_WRITTEN.get(name, value)} for name, value in PROPERTIES.items()}
    for name, value in sorted(found.items()):
        # Other properties are notes, which change nothing: the stream keeps its generation in one.
        if name.startswith(OWN) and name not in checks and value not in allowed.get(name, ()):
            yield f"{name}={value}"


def _features(at: DeltaTable) -> Iterator[str]:
    protocol = at.protocol()
    named = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    for feature in sorted(named - FEATURES):
        yield f"table feature {feature}"
    reader, writer = protocol.min_reader_version, protocol.min_writer_version
    if reader > READER and not protocol.reader_features:
        yield f"reader version {reader}"
    if writer > WRITER and writer != FEATURE_WRITER:
        yield f"writer version {writer}"


def problem(table: Table, wrong: Sequence[str]) -> Problem:
    """What is wrong with the table's form, and the command that mends it."""
    what = (
        f"another client has changed {table.sql}: {', '.join(wrong)}. Only {table.writer} writes this table, and rows written "
        "to it as it is may be unreadable, so nothing is written until it is as it was made"
    )
    # The stream does not start again by itself after a permanent failure.
    then = ", then daybreak restart stream" if table.writer is Writer.STREAM else ""
    return Problem(f"table.form/{table.sql}", what, f"daybreak set-back {table.sql}{then}", rows=tuple(wrong))


def refuse_foreign(table: Table, at: DeltaTable) -> None:
    """Call before each write, with the handle that it uses: looks at what is in memory, in a microsecond, and asks no store.

    Raises PermanentFailure with the problem, which is kept too.
    """
    if wrong := foreign(table, at):
        one = problem(table, wrong)
        problems.add(settings(), source(table), [one])
        raise PermanentFailure(f"{one.what}. To mend it: {one.mend}")


def refuse_all_foreign(found: Sequence[tuple[Table, DeltaTable]]) -> None:
    """At the start of a writer, for all its tables: what was wrong and is right now is no problem any more."""
    told: dict[str, list[Problem]] = {source(table): [] for table, _ in found}
    for table, at in found:
        if wrong := foreign(table, at):
            told[source(table)].append(problem(table, wrong))
    for name, some in told.items():
        problems.keep(settings(), name, some)
    if every := [one for some in told.values() for one in some]:
        raise PermanentFailure(". ".join(f"{one.what}. To mend it: {one.mend}" for one in every))


def source(table: Table) -> str:
    """Who tells the problems of this table: its writer."""
    return f"tables.{table.writer}"
