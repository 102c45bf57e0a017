"""The day once more, by DuckDB: other code, other engine, one thread; the same rows.

Data flow: archive/events -> sql/records -> sql/<topic> -> sql/events -> sql/<view> -> Parquet, compared with truth/*
Run: make bench-night

Each file of `sql/` makes the table of its name, and `topics.py` that of a topic with a flat payload. What is refused is left
out without its reasons.
"""

from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import duckdb
from deltalake import DeltaTable

from batch.archive.events import ARCHIVE
from batch.days.day import Day
from batch.truth.recompute import TRUTH
from infra.failures import PermanentFailure
from infra.words import words
from streaming.contracts import CONTRACTS
from streaming.views import LOOKBACK, REACH, VIEWS
from tests.bench.oracle.topics import TOPICS

SQL = Path(__file__).parent / "sql"
ANSWERS = (TRUTH.name, *VIEWS)
"""What is compared: tables here, and of the layer truth."""
STAMPS = ("content_hash", "definition", "run")
"""Columns of truth that say by what a row was made; content_hash is a hash of Spark's."""
SHOWN = 3


def recompute(lake: Path, day: Day, out: Path) -> None:
    """Read the archive of the lake under a folder, and write the day's events and views to `out`/<name>.parquet."""
    with connect() as own:
        own.read_parquet(_files(lake / ARCHIVE.id), hive_partitioning=True).create_view("archive")
        answer(own, day)
        for name in ANSWERS:
            own.execute(f"COPY (SELECT * FROM {name} WHERE day = getvariable('start')::DATE) TO '{_file(out, name)}'")


def connect() -> duckdb.DuckDBPyConnection:
    """A database in memory, with one thread, that fetches nothing from the net."""
    own = duckdb.connect(config={"threads": 1, "autoinstall_known_extensions": False})
    own.execute("SET enable_progress_bar = false")
    # DuckDB knows no word boundaries. The view finds words without this library.
    own.create_function("words_of", words, ["VARCHAR"], "VARCHAR[]")
    return own


def answer(own: duckdb.DuckDBPyConnection, day: Day) -> None:
    """Make the tables `events` and of every view from `archive` (columns of ARCHIVE)."""
    around = day.around(LOOKBACK, REACH)
    for name, at in (("start", day.start), ("since", around.start), ("until", around.end)):
        own.execute(f"SET VARIABLE {name} = TIMESTAMP '{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}'")
    last_topic = list(CONTRACTS)[-1]
    for name in ("records", *CONTRACTS, *ANSWERS):
        file = SQL / f"{name}.sql"
        if name not in TOPICS and not file.exists():
            raise PermanentFailure(f"{name} has no second implementation: write tests/bench/oracle/sql/{name}.sql")
        own.execute(TOPICS[name].sql(name) if name in TOPICS else file.read_text())
        if name == last_topic:
            every = " UNION ALL BY NAME ".join(f"SELECT * FROM {topic}" for topic in CONTRACTS)
            own.execute(f"CREATE TEMP VIEW arrivals AS {every}")


def differing(lake: Path, out: Path, names: Sequence[str] = ANSWERS) -> list[str]:
    """Where truth/* and what `recompute` wrote are not the same rows: a sentence per table, empty if they agree."""
    faults = []
    with connect() as own:
        for name in names:
            truth = own.read_parquet(_files(lake / TRUTH.layer / name), hive_partitioning=True)
            columns = ", ".join(f'"{column}"' for column in truth.columns if column not in STAMPS)
            truth.create_view("truth", replace=True)
            own.read_parquet(str(_file(out, name))).create_view("other", replace=True)
            spark, duck = (
                own.execute(
                    f"SELECT count(*) OVER (), * FROM (SELECT {columns} FROM {one} EXCEPT ALL SELECT {columns} FROM {two}) "
                    f"ORDER BY ALL LIMIT {SHOWN}"
                ).fetchall()
                for one, two in (("truth", "other"), ("other", "truth"))
            )
            for who, rows in (("Spark", spark), ("DuckDB", duck)):
                if rows:
                    shown = "; ".join(str(row[1:]) for row in rows)
                    faults.append(f"truth/{name}: {rows[0][0]} rows by {who} only: {shown}")
    return faults


def _files(table: Path) -> list[str]:
    """The Parquet files of a Delta table's newest version."""
    if found := DeltaTable(str(table)).file_uris():
        return found
    raise PermanentFailure(f"{table.name} is empty: there is nothing to compare; take more events")


def _file(out: Path, name: str) -> Path:
    return out / f"{name}.parquet"
