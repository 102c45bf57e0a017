"""DuckDB's contracts are the stream's: of the records named after what is wrong with them it takes the right ones only."""

import re
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from corpus import Record, identity, neighbours, poison

from batch.days.day import Day
from infra.kafka.lines import read_key
from infra.settings import ROOT
from streaming.contracts import CONTRACTS
from tests.bench.oracle.day import ROW
from tests.bench.oracle.recompute import answer, connect

NOW = datetime(2026, 1, 30, 12, tzinfo=UTC)
NOW_MS = round(NOW.timestamp() * 1000)
EXAMPLES = ROOT / "streaming" / "shop" / "examples"


def examples(verdict: str) -> list[Record]:
    """The example records of every topic, as if sent now; each has an id of its own where it has any."""
    found = []
    for file in sorted(EXAMPLES.glob(f"*/{verdict}/*.json")):
        topic, name = file.parts[-3], f"{file.parts[-3]} {file.stem}"
        value = re.sub(rb"17698905\d{5}", b"%d" % NOW_MS, file.read_bytes().removesuffix(b"\n"))
        value = re.sub(rb'(?<="event_id": ")[^"]*', identity(name, NOW_MS).encode(), value)
        key, _ = read_key(value, CONTRACTS[topic].key)
        found.append(Record(name, topic, key, value))
    return found


BAD, GOOD = [*poison(NOW_MS), *examples("bad")], [*neighbours(NOW_MS), *examples("good")]


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
