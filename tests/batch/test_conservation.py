"""A night counts what is new, once; what does not add up stops it, and is counted again until it does."""

import shutil
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from deltalake import write_deltalake
from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE, ARCHIVE_GAPS
from batch.conservation import check, losses
from batch.conservation.check import CONSERVATION, Marks, conserve, marks
from batch.conservation.losses_table import LOSSES
from batch.conservation.offset_range import Range
from batch.days.day import Day
from infra.failures import PermanentFailure
from infra.kafka.places import At
from infra.lake import arrow_tables, spark_tables, tables
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.problems import problems
from streaming.positions.gaps import BRONZE_GAPS
from streaming.positions.log import Log
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 31))
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
AT, EMPTY = ("orders", 0), ("orders", 1)
STREAM_LACKS = 3


@pytest.fixture(scope="module")
def empty(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake with the tables that conservation reads, made once: each takes Delta a moment."""
    root = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{root}"))
        for table in (ARCHIVE, ARCHIVE_GAPS, BRONZE, BRONZE_GAPS, SILVER, QUARANTINE, PROGRESS, CONSERVATION, LOSSES):
            spark_tables.create(spark, table)
    return root


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Settings with a home of the test's own, where problems are kept."""
    own = SimpleNamespace(home=tmp_path / "home")
    for module in (check, losses):
        monkeypatch.setattr(module, "settings", lambda: own)
    return own


@pytest.fixture
def session(spark: SparkSession, empty: Path, local_lake: Path, home: Any) -> SparkSession:
    """A session on a copy of it."""
    shutil.copytree(empty, local_lake, dirs_exist_ok=True)
    return spark


def all_removed(at: At, holes: Sequence[Range]) -> Sequence[Range]:
    """The log explains no hole."""
    return holes


def put(table: Table, *rows: dict[str, Any]) -> None:
    at = arrow_tables.latest(table)
    write_deltalake(at, arrow_tables.fitted(arrow(rows, table.schema), at), mode="append")


def fill(first: int, end: int, *into: Table) -> None:
    """Events at offsets [first, end) into some tables."""
    rows = [
        {"topic": AT[0], "partition": AT[1], "offset": offset, "arrival": NOON, "event_id": f"e{offset}"}
        | {"event_time": NOON, "day": DAY.date, "late_by_ms": 0}
        for offset in range(first, end)
    ]
    for table in into:
        put(table, *[{name: row.get(name) for name in table.schema.fieldNames()} for row in rows])


def read(first: int, end: int) -> None:
    """The stream finishes a micro-batch of offsets [first, end)."""
    offsets = [{"topic": AT[0], "partition": AT[1], "from": first, "to": end}]
    put(PROGRESS, {"query": "ingest", "generation": "a", "batch_id": first, "offsets": offsets})


def night(session: SparkSession, end: int, first: int = 0) -> int:
    return conserve(session, DAY, log(end, first), marks(session), all_removed)


def log(end: int, first: int = 0) -> Log:
    return Log({AT: first, EMPTY: 0}, {AT: end, EMPTY: 0})


def ranges(session: SparkSession) -> list[tuple[int, ...]]:
    """from, to, archived, missing, unaccounted of the partition's rows, in the order in which they were written."""
    rows = spark_tables.read(session, CONSERVATION).where(f"partition = {AT[1]}").orderBy("checked_at").collect()
    return [(row["from"], row["to"], row["archived"], row["missing"], row["unaccounted"]) for row in rows]


def test_each_night_counts_what_is_new_once(session: SparkSession) -> None:
    fill(0, 10, ARCHIVE, BRONZE, SILVER)
    read(0, 6)
    # The stream has begun to write what it has not finished: it waits for the next night.
    assert night(session, 10) == 6
    assert ranges(session) == [(0, 6, 6, 0, 0)]
    version = spark_tables.version(session, CONSERVATION)
    assert night(session, 10) == 0
    assert spark_tables.version(session, CONSERVATION) == version
    read(6, 10)
    assert night(session, 10) == 4
    assert ranges(session) == [(0, 6, 6, 0, 0), (6, 10, 4, 0, 0)]
    assert marks(session).conserved == {AT: 10, EMPTY: 0}


def test_what_does_not_add_up_stops_the_night_until_it_does(session: SparkSession) -> None:
    fill(0, 10, ARCHIVE, BRONZE)
    fill(0, STREAM_LACKS, SILVER)
    fill(STREAM_LACKS + 1, 10, SILVER)
    read(0, 10)
    for _ in range(2):
        with pytest.raises(PermanentFailure, match=r"1 offsets of orders-0 \[0, 10\) are unaccounted, the first at 3"):
            night(session, 10)
    assert ranges(session) == [(0, 10, 10, 0, 1)]
    fill(STREAM_LACKS, STREAM_LACKS + 1, SILVER)
    assert night(session, 10) == 10
    assert ranges(session) == [(0, 10, 10, 0, 1), (0, 10, 10, 0, 0)]


def test_a_gap_is_left_out_only_while_it_is_named(session: SparkSession) -> None:
    """The archive lost [4, 6) and the stream [5, 8): both are excused by their own rows alone."""
    fill(0, 4, ARCHIVE, BRONZE, SILVER)
    fill(4, 5, BRONZE, SILVER)
    fill(6, 10, ARCHIVE)
    fill(8, 10, BRONZE, SILVER)
    read(0, 5)
    read(8, 10)
    with pytest.raises(PermanentFailure, match=r"offsets of orders-0 \[0, 10\) are missing, the first at 4, 5, 6, 7"):
        night(session, 10, first=6)
    named = {"topic": AT[0], "partition": AT[1], "cause": "retention"}
    put(ARCHIVE_GAPS, named | {"from": 4, "to": 6})
    put(BRONZE_GAPS, named | {"from": 5, "to": 8})
    assert marks(session).read_to == {AT: 10, EMPTY: 0}
    assert night(session, 10, first=6) == 10
    row = spark_tables.read(session, CONSERVATION).where(f"partition = {AT[1]} AND missing = 0").collect()[0]
    counts = {name: row[name] for name in ("log", "gaps", "empty", "archived", "unread", "bronze", "silver")}
    assert counts == {"log": 8, "gaps": 2, "empty": 0, "archived": 8, "unread": 2, "bronze": 6, "silver": 6}


def test_the_archive_goes_on_behind_records_gaps_and_what_was_checked() -> None:
    known = Marks(
        archived={("a", 0): (5, 30), ("b", 0): (0, 7)},
        gaps={("a", 0): [(30, 40), (10, 12)]},
        conserved={("a", 0): 25, ("b", 0): 8, ("c", 0): 0},
    )
    assert known.read_to == {("a", 0): 40, ("b", 0): 8, ("c", 0): 0}


def test_a_range_begins_where_the_last_ended() -> None:
    log = Log({("a", 0): 2, ("b", 0): 3, ("c", 0): 4}, {("a", 0): 90, ("b", 0): 80, ("c", 0): 70})
    known = Marks(
        archived={("a", 0): (1, 60), ("b", 0): (5, 60)}, conserved={("a", 0): 50}, streamed={("a", 0): 85, ("b", 0): 99}
    )
    assert [(span.topic, span.start, span.end) for span in known.spans(log)] == [
        ("a", 50, 85),
        ("b", 3, 80),
        ("c", 4, 4),
    ]


def test_a_first_range_begins_where_anyone_began() -> None:
    ends = Log({("a", 0): 9, ("b", 0): 9, ("c", 0): 9}, {("a", 0): 20, ("b", 0): 20, ("c", 0): 20})
    known = Marks(
        archived={("a", 0): (4, 20), ("b", 0): (12, 20)},
        streamed={("a", 0): 20, ("b", 0): 20, ("c", 0): 20},
        begun={("a", 0): 6, ("c", 0): 2},
    )
    assert [span.start for span in known.spans(ends)] == [4, 9, 2]
    # What only the stream has read begins where the stream began: what the log lost since is a gap.
    assert known.read_to == {("a", 0): 20, ("b", 0): 20, ("c", 0): 2}


def test_a_loss_stays_in_the_range_whatever_a_retry_finds(session: SparkSession, home: Any) -> None:
    """Records that the stream had read were compacted away before the first night."""
    fill(0, 10, BRONZE, SILVER)
    fill(6, 10, ARCHIVE)
    read(0, 10)
    for _ in range(3):
        with pytest.raises(
            PermanentFailure, match=r"6 offsets of orders-0 \[0, 10\) are missing, the first at 0, 1, 2"
        ):
            night(session, 10)
    # Retention takes the rest of the beginning too, and new records come.
    fill(10, 12, ARCHIVE, BRONZE, SILVER)
    read(10, 12)
    with pytest.raises(PermanentFailure, match=r"6 offsets of orders-0 \[0, 12\) are missing"):
        night(session, 12, first=6)
    (told,) = problems(home)
    assert (told.id, told.count, told.rows[0]) == ("conservation.missing/orders-0", 6, "orders-0 at 0")
    assert "daybreak conservation --accept" in told.mend


def test_what_nobody_has_stays_in_the_range(session: SparkSession) -> None:
    """Both layers began behind records that were compacted away: the log begins before them."""
    fill(6, 10, ARCHIVE, BRONZE, SILVER)
    read(0, 10)
    for _ in range(2):
        with pytest.raises(PermanentFailure, match=r"6 offsets of orders-0 \[0, 10\) are missing"):
            night(session, 10)


def test_an_accepted_loss_says_who_what_and_why(session: SparkSession, home: Any) -> None:
    fill(0, 10, BRONZE, SILVER)
    fill(0, 2, ARCHIVE)
    fill(6, 10, ARCHIVE)
    read(0, 10)
    with pytest.raises(PermanentFailure):
        night(session, 10)
    # What no night has told yet cannot be accepted.
    fill(11, 12, ARCHIVE, BRONZE, SILVER)
    read(10, 12)
    (found,) = losses.accept(session, log(12), "compacted by mistake", "ada", all_removed)
    assert found.faulty["missing"] == [(2, 6)]
    (row,) = arrow_tables.rows(LOSSES)
    names = ("topic", "partition", "from", "to", "fault", "accepted_by", "note")
    assert [row[name] for name in names] == ["orders", 0, 2, 6, "missing", "ada", "compacted by mistake"]
    assert problems(home) == []
    with pytest.raises(PermanentFailure, match="nothing to accept"):
        losses.accept(session, log(12), "again", "ada", all_removed)
    with pytest.raises(PermanentFailure, match=r"1 offsets of orders-0 \[0, 12\) are missing, the first at 10"):
        night(session, 12)
    fill(10, 11, ARCHIVE, BRONZE, SILVER)
    assert night(session, 12) == 12
    assert problems(home) == []


def test_a_fault_that_is_right_again_is_no_problem(session: SparkSession, home: Any) -> None:
    fill(0, 10, BRONZE, ARCHIVE)
    fill(1, 10, SILVER)
    read(0, 10)
    with pytest.raises(PermanentFailure):
        night(session, 10)
    assert [one.id for one in problems(home)] == ["conservation.unaccounted/orders-0"]
    fill(0, 1, SILVER)
    assert night(session, 10) == 10
    assert problems(home) == []


def test_too_many_ranges_are_merged_where_least_lies_between() -> None:
    found = [(0, 1), (2, 3), (9, 10), (11, 12), (30, 31)]
    assert losses.merged(found, 5) == found
    assert losses.merged(found, 3) == [(0, 3), (9, 12), (30, 31)]
    assert losses.merged(found, 1) == [(0, 31)]
