"""What is left to read: the log's ends against the last micro-batch, however old it is."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from infra.settings import settings
from streaming.monitor import catch_up

NOW = datetime.now(UTC)
AT = pa.struct({"topic": pa.string(), "partition": pa.int32(), "from": pa.int64(), "to": pa.int64()})
PROGRESS = pa.schema(
    {
        "query": pa.string(),
        "generation": pa.string(),
        "batch_id": pa.int64(),
        "committed_at": pa.timestamp("us", "UTC"),
        "offsets": pa.list_(AT),
    }
)


def batch(query: str, generation: str, number: int, age: timedelta, to: int) -> dict[str, Any]:
    at = {"topic": "sales", "partition": 0, "from": 0, "to": to}
    return {"query": query, "generation": generation, "batch_id": number, "committed_at": NOW - age, "offsets": [at]}


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ([batch("ingest", "a", 9, timedelta(seconds=2), 70), batch("ingest", "a", 8, timedelta(seconds=4), 50)], 30),
        ([batch("ingest", "a", 9, timedelta(days=3), 70)], 30),
        ([batch("ingest", "a", 9, timedelta(seconds=3), 70), batch("ingest", "b", 0, timedelta(seconds=1), 100)], 0),
        # Older code had rows of view queries too, without offsets of their own.
        ([batch("ingest", "a", 9, timedelta(days=3), 100), batch("totals", "a", 9, timedelta(seconds=1), 0)], 0),
    ],
    ids=["the last one counts", "a silent shop", "the newest generation", "a row of a view"],
)
def test_what_is_left_is_the_log_beyond_the_last_micro_batch(
    monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Any]], left: int
) -> None:
    table = pa.Table.from_pylist(rows, PROGRESS)
    monkeypatch.setattr(catch_up, "read", lambda _, __, columns, where: table.filter(where).select(columns))
    monkeypatch.setattr(catch_up, "log_ends", lambda topics: dict.fromkeys(((topic, 0) for topic in topics), 100))
    found = catch_up.behind(settings())
    assert (found.records, found.nothing) == (left, left == 0)
    assert str(found) == (f"{left} records to read" if left else "caught up")
