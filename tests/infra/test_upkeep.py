"""Upkeep on tables in a folder: small files are few again, old rows and files are gone, and nothing else has changed."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.sql.types import DateType, LongType, StructField, StructType, TimestampType

from infra.failures import PermanentFailure
from infra.lake import upkeep
from infra.lake.tables import Table
from infra.lake.upkeep import MANY, compact, forget, vacuum
from infra.settings import load

N = StructField("n", LongType())
DAILY = Table("silver", "events", StructType([StructField("day", DateType()), N]), ("day",))
TIMED = Table("bronze", "events", StructType([StructField("arrival", TimestampType()), N]))
PROGRESS = Table("speed", "progress", StructType([StructField("committed_at", TimestampType()), N]))
GAPS = Table("bronze", "gaps", StructType([StructField("accepted_at", TimestampType()), N]))
TODAY = date(2026, 1, 31)


def append(table: Table, day: date, *numbers: int) -> None:
    """One commit, as a micro-batch makes it."""
    name = table.schema.fieldNames()[0]
    kind = pa.date32() if name == "day" else pa.timestamp("us", "UTC")
    at = day if name == "day" else datetime.combine(day, time(12), UTC)
    rows = pa.table({name: pa.array([at] * len(numbers), kind), "n": pa.array(numbers, pa.int64())})
    by = list(table.partitioned_by)
    write_deltalake(table.path.removeprefix("file:"), rows, mode="append", partition_by=by or None)


def opened(table: Table) -> DeltaTable:
    return DeltaTable(table.path.removeprefix("file:"))


def found(table: Table) -> list[int]:
    return sorted(opened(table).to_pyarrow_table()["n"].to_pylist())


def files(table: Table, day: date | None = None) -> Sequence[str]:
    return [path for path in opened(table).file_uris() if day is None or f"day={day}" in path]


# Compaction.


def test_small_files_of_a_crowded_partition_become_one(local_lake: Path) -> None:
    for number in range(MANY):
        append(DAILY, TODAY, number)
    append(DAILY, TODAY - timedelta(days=1), 100)
    assert compact(DAILY) == MANY
    assert (len(files(DAILY, TODAY)), len(files(DAILY))) == (1, 2)
    assert found(DAILY) == [*range(MANY), 100]
    version = opened(DAILY).version()
    assert compact(DAILY) == 0
    assert opened(DAILY).version() == version, "nothing to do is no commit"


def test_a_file_of_the_target_size_is_never_rewritten(local_lake: Path) -> None:
    append(TIMED, TODAY, *range(10_000))
    (large,) = files(TIMED)
    target = Path(large).stat().st_size
    for number in range(MANY):
        append(TIMED, TODAY, number)
    assert compact(TIMED, target) == MANY
    assert large in files(TIMED)
    assert len(files(TIMED)) == 2


def test_one_compaction_rewrites_so_many_bytes_at_most(local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "AT_ONCE", 1)
    for back in range(2):
        for number in range(MANY):
            append(DAILY, TODAY - timedelta(days=back), number)
    assert [compact(DAILY) for _ in range(3)] == [MANY, MANY, 0]


def test_a_writer_between_two_looks_loses_nothing(local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MANY):
        append(TIMED, TODAY, number)
    look = upkeep._opened

    def and_then_an_append(table: Table) -> DeltaTable:
        handle = look(table)
        append(TIMED, TODAY, 1000)
        return handle

    monkeypatch.setattr(upkeep, "_opened", and_then_an_append)
    assert compact(TIMED) == MANY
    assert found(TIMED) == [*range(MANY), 1000]


# Rows that are forgotten.


def test_rows_older_than_the_days_go_and_the_others_stay(local_lake: Path) -> None:
    for table in (DAILY, TIMED):
        for back in range(40):
            append(table, TODAY - timedelta(days=back), back)
        assert forget(table, 30, TODAY) == 9
        assert found(table) == [*range(31)]
        version = opened(table).version()
        assert forget(table, 30, TODAY) == 0
        assert opened(table).version() == version, "nothing to forget is no commit"


def test_rows_that_are_spared_stay_whatever_their_age(local_lake: Path) -> None:
    for back in range(40):
        append(DAILY, TODAY - timedelta(days=back), back, 100)
    assert forget(DAILY, 30, TODAY, sparing="n >= 100") == 9
    assert found(DAILY) == [*range(31), *[100] * 40]
    assert forget(DAILY, 30, TODAY, sparing="n >= 100") == 0
    assert found(DAILY) == [*range(31), *[100] * 40]


def test_the_newest_rows_stay_whatever_their_age(local_lake: Path) -> None:
    append(PROGRESS, TODAY - timedelta(days=101), 1)
    append(PROGRESS, TODAY - timedelta(days=100), 2)
    assert forget(PROGRESS, 30, TODAY) == 1
    assert found(PROGRESS) == [2]


def test_named_gaps_are_kept_for_ever(local_lake: Path) -> None:
    append(GAPS, TODAY - timedelta(days=1000), 1)
    assert forget(GAPS, 1, TODAY) == 0
    assert found(GAPS) == [1]


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ('{"archive": 367}', "archive must be kept for 368 days or more: an event may come 366 days late"),
        ('{"silver": 30}', "silver must be kept for 368 days or more"),
        ('{"bronze": 7}', "bronze must be kept for 8 days or more"),
        ('{"truth": 400}', "KEEP_DAYS_TRUTH"),
        ('{"archive": 0}', "greater than or equal to 1"),
    ],
)
def test_a_layer_that_a_night_still_needs_is_not_forgotten(
    days: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBREAK_KEEP_DAYS", days)
    with pytest.raises(PermanentFailure) as refused:
        load()
    assert "DAYBREAK_KEEP_DAYS" in str(refused.value)
    assert said in str(refused.value)


def test_what_the_setting_does_not_name_is_kept(local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_KEEP_DAYS", '{"bronze": 8}')
    monkeypatch.setattr(upkeep, "settings", load)
    for table in (TIMED, DAILY):
        append(table, TODAY - timedelta(days=3000), 1)
        append(table, date.today(), 2)
    upkeep.tidy([TIMED, DAILY])
    assert (found(TIMED), found(DAILY)) == ([2], [1, 2])


# Files.


def test_files_of_the_last_week_stay_and_older_ones_go(local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(MANY):
        append(TIMED, TODAY, number)
    compact(TIMED)
    folder = Path(TIMED.path.removeprefix("file:"))
    assert vacuum(TIMED) == 0
    assert len(list(folder.glob("*.parquet"))) == MANY + 1
    monkeypatch.setattr(upkeep, "KEPT_HOURS", 0)
    real = DeltaTable.vacuum
    monkeypatch.setattr(DeltaTable, "vacuum", lambda own, **how: real(own, **how, enforce_retention_duration=False))
    assert vacuum(TIMED) == MANY
    assert len(list(folder.glob("*.parquet"))) == 1
    assert found(TIMED) == [*range(MANY)]
