"""A log that was cut off and written on has another record where the last one was read; the reader goes no further."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from confluent_kafka import Producer
from deltalake import write_deltalake

from infra.failures import PermanentFailure
from infra.lake import arrow_tables
from infra.problems import of_source
from streaming.micro_batch.outcomes import arrow_schema
from streaming.positions import cut_off
from streaming.positions.log import Log
from streaming.tables.bronze import BRONZE

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
AT = "orders", 0


def arrived(offset: int) -> datetime:
    return NOON + timedelta(milliseconds=offset)


@pytest.fixture
def log(kafka: SimpleNamespace) -> Log:
    """Offsets 0 to 5 of one partition, which arrived a millisecond after each other."""
    producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
    for offset in range(6):
        producer.produce("orders", partition=0, value=b"{}", timestamp=round(arrived(offset).timestamp() * 1000))
    assert producer.flush(20) == 0
    return Log({AT: 0}, {AT: 6})


def read(lake: Path, *offsets: int, late: timedelta = timedelta(0)) -> None:
    """These are in bronze, as they arrived."""
    rows = [
        {"topic": "orders", "partition": 0, "offset": offset, "arrival": arrived(offset) + late} for offset in offsets
    ]
    write_deltalake(arrow_tables.place(BRONZE), pa.Table.from_pylist(rows, schema=arrow_schema(BRONZE.schema)))


def test_the_log_that_was_read_is_read_on(log: Log, local_lake: Path) -> None:
    read(local_lake, 0, 1, 2, 3)
    assert cut_off.found({AT: 4}, log, BRONZE) == []


def test_another_record_at_the_last_offset_is_refused(
    log: Log, local_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home: Any = SimpleNamespace(home=tmp_path)
    monkeypatch.setattr(cut_off, "settings", lambda: home)
    read(local_lake, 0, 1, 2, 3, late=timedelta(milliseconds=-1))
    found = cut_off.found({AT: 4}, log, BRONZE)
    said = r"orders-0 at offset 3 \(read: arrived 2026-01-31 12:00:00.002, now: 2026-01-31 12:00:00.003 UTC\)"
    with pytest.raises(PermanentFailure, match=said):
        cut_off.refuse(found, "stream", "stream.log")
    assert [one.id for one in of_source(home, "stream.log")] == ["log.cut_off/orders-0"]


def test_the_last_record_may_lie_before_markers_of_transactions(log: Log, local_lake: Path) -> None:
    read(local_lake, 0, 1, late=timedelta(seconds=1))
    assert [one.offset for one in cut_off.found({AT: 4}, log, BRONZE)] == [1]


def test_a_record_that_is_gone_is_no_sign_of_another_log(log: Log, local_lake: Path) -> None:
    read(local_lake, 0, 1, 2, 7, late=timedelta(seconds=1))
    for read_to, now in ((3, Log({AT: 3}, {AT: 6})), (8, log)):
        assert cut_off.found({AT: read_to}, now, BRONZE) == []


def test_a_partition_without_a_record_or_a_position_is_not_asked_for(log: Log, local_lake: Path) -> None:
    assert cut_off.found({AT: 4}, log, BRONZE) == []
    read(local_lake, 0, late=timedelta(seconds=1))
    assert cut_off.found({AT: 0, ("orders", 1): 3}, log, BRONZE) == []
    assert cut_off.found({AT: cut_off.NEWEST + 1}, Log({AT: 0}, {AT: 2_000}), BRONZE) == []
