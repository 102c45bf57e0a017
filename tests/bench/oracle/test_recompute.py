"""DuckDB's contracts are the stream's: of the records named after what is wrong with them it takes the right ones only."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from corpus import neighbours, poison

from batch.day import Day
from tests.bench.oracle.day import ROW
from tests.bench.oracle.recompute import answer, connect

NOW = datetime(2026, 1, 30, 12, tzinfo=UTC)
NOW_MS = round(NOW.timestamp() * 1000)
BAD, GOOD = poison(NOW_MS), neighbours(NOW_MS)


@pytest.fixture(scope="module")
def accepted() -> set[str]:
    """The names of the records that DuckDB takes for events."""
    sent = [*BAD, *GOOD]
    rows = [
        {"topic": one.topic, "partition": 0, "offset": place, "arrival": NOW, "key": one.key, "value": one.value}
        for place, one in enumerate(sent)
    ]
    naive = [field.with_type(pa.timestamp("us")) if field.name == "arrival" else field for field in ROW]
    envelope = [pa.field("event_id", pa.string()), pa.field("event_time", pa.timestamp("us"))]
    archive = pa.Table.from_pylist(rows, schema=ROW).cast(pa.schema(naive))
    for field in envelope:
        archive = archive.append_column(field, pa.nulls(len(sent), field.type))
    with connect() as own:
        own.register("archive", archive)
        answer(own, Day(NOW.date()))
        return {sent[place].name for (place,) in own.execute('SELECT "offset" FROM events').fetchall()}


def test_it_takes_every_odd_but_valid_event(accepted: set[str]) -> None:
    assert {one.name for one in GOOD} - accepted == set()


def test_it_takes_nothing_else(accepted: set[str]) -> None:
    assert accepted - {one.name for one in GOOD} == set()
