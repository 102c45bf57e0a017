"""A home that an older version kept is read by this code: nothing is lost, and what has not changed is not made anew.

kept.tar.xz is a small day of the shop, which the version of 2026-11-29 streamed and settled. If a test here fails, the change
costs every team that upgrades: make it in another way, or say in CHANGED and in .github/CHANGELOG.md what it costs them.
"""

import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from in_force import in_force
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from batch.due.plans import plans
from batch.night.all_tables import night_tables
from batch.plan.reading import running, settled
from infra import problems
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, reader, spark_tables, tables
from infra.settings import load, settings
from streaming.all_tables import stream_tables
from streaming.positions.checkpoint import Checkpoints
from streaming.versions import definition_cache, generation
from tests.batch.upgrade.keep import DAY, FILE, PROBLEM

pytestmark = pytest.mark.slow

CHANGED: Mapping[str, str] = {
    "search_matches": "the same rows, but no pairs of all that share a word: those of ten million events would fill the disk"
}
"""Contracts and views that have another version than in the kept home, and why. Such a view has to be made anew (`python -m
streaming rebuild`), and its settled days redone (`daybreak redefine`): the change log tells."""
GONE: Mapping[str, str] = {}
"""Tables of the kept home that no code reads any more, and what became of their rows."""
TABLES = (*stream_tables(), *night_tables())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kept home, unpacked; its lake is the one in force."""
    folder = tmp_path_factory.mktemp("kept")
    with tarfile.open(FILE) as packed:
        packed.extractall(folder, filter="data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}/lake"))
        yield folder


@pytest.fixture
def upgraded(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The same, as the home that this process's settings name."""
    monkeypatch.setenv("DAYBREAK_HOME", str(home))
    settings.cache_clear()
    yield home
    settings.cache_clear()


@pytest.fixture(scope="module")
def kept(home: Path) -> dict[str, str]:
    """The versions that streamed and settled the kept day."""
    return dict(settled().days[DAY.date]["definitions"])


def columns(schema: DataType, path: str = "") -> Iterator[tuple[str, str]]:
    """The path and the type of every column, those inside structs, arrays and maps too."""
    if isinstance(schema, StructType):
        for field in schema:
            yield from columns(field.dataType, f"{path}.{field.name}")
    elif isinstance(schema, ArrayType):
        yield from columns(schema.elementType, f"{path}[]")
    elif isinstance(schema, MapType):
        yield path, f"of {schema.keyType.simpleString()}"
        yield from columns(schema.valueType, f"{path}{{}}")
    else:
        yield path, schema.simpleString()


@pytest.fixture(scope="module")
def before(home: Path) -> dict[str, pa.Table]:
    """The rows of every kept table that this code knows."""
    return {table.id: arrow_tables.read(table) for table in TABLES if arrow_tables.exists(table)}


@pytest.fixture(scope="module")
def widened(spark: SparkSession, before: dict[str, pa.Table]) -> None:
    """The tables as stream and night leave them at their start, which ask the store first, which of them lack a column."""
    for table in TABLES:
        if table.id not in before or not {*dict(columns(table.schema))} <= {*there(table)}:
            spark_tables.create(spark, table)


def there(table: tables.Table) -> dict[str, str]:
    """The columns that a table of the lake has, by their path."""
    return dict(columns(StructType.fromJson(reader.schema(arrow_tables.latest(table)))))


def test_every_table_is_read_and_no_row_is_lost(home: Path, before: dict[str, pa.Table], widened: None) -> None:
    places = {log.parent.relative_to(home / "lake").as_posix() for log in (home / "lake").glob("*/*/_delta_log")}
    assert places - {table.id for table in TABLES} == {*GONE}, "no code reads these tables: what became of their rows?"
    assert sum(rows.num_rows for rows in before.values()) > 5000
    for table in TABLES:
        found, wanted = there(table), dict(columns(table.schema))
        assert {name: found.get(name) for name in wanted} == wanted, f"{table.id}: a column cannot change its type"
        old = before.get(table.id)
        if old is not None:
            assert same(arrow_tables.read(table).select(old.column_names), old), f"{table.id}: a row is another one"


def same(one: pa.Table, other: pa.Table) -> bool:
    """Are the rows the same, in any order?"""
    texts = [sorted(map(repr, rows.to_pylist())) for rows in (one, other)]
    return texts[0] == texts[1]


def test_what_is_defined_as_before_has_the_version_of_before(spark: SparkSession, kept: dict[str, str]) -> None:
    now = in_force(spark)
    another = {name for name, version in kept.items() if now.get(name) != version and name != "events"}
    assert another == {*CHANGED}, (
        "these have another version than in a home of before, so that every team's stream refuses to start until its views are "
        "rebuilt, and each settled day is redone. If their meaning has not changed, the code has to give the plan of before "
        "(streaming/versions/definitions.py hashes it); if it has, name them in CHANGED, and what to run in .github/CHANGELOG.md"
    )


def unchanged(spark: SparkSession, kept: dict[str, str]) -> dict[str, str]:
    """The versions in force, but those of before for what was changed on purpose."""
    return {**in_force(spark), **{name: kept[name] for name in CHANGED}}


def test_the_stream_goes_on_from_the_kept_checkpoint(spark: SparkSession, upgraded: Path, kept: dict[str, str]) -> None:
    checkpoints, own = Checkpoints(spark), (upgraded / "checkpoints" / "generation").read_text()
    assert generation.settled(checkpoints, unchanged(spark, kept)) == own
    view = next(name for name in kept if not name.startswith("events"))
    with pytest.raises(PermanentFailure, match=view):
        generation.settled(checkpoints, {**kept, view: "another"})


def test_the_night_redoes_no_settled_day(
    spark: SparkSession, widened: None, upgraded: Path, kept: dict[str, str]
) -> None:
    now = unchanged(spark, kept)
    assert {name: now[name] for name in running().definitions if name in now} == dict(running().definitions)
    assert plans(spark, DAY, now) == ()
    view = next(name for name in kept if not name.startswith("events"))
    (plan,) = plans(spark, DAY, {**now, view: "another"})
    assert (plan.day, plan.redo and plan.redo.views) == (DAY, {view})


def test_what_programs_noted_in_files_is_read(upgraded: Path, kept: dict[str, str]) -> None:
    s = load()
    assert (s.project, s.options) == ("streaming.shop", "queue")
    (found,) = problems.problems(s)
    assert (found, found.since) == (PROBLEM, PROBLEM.since)
    assert list(definition_cache._kept().values()) == [json.loads((upgraded / "definitions.json").read_text())[0][1]]
