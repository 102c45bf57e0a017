"""A sample has the records of a few keys as they arrived, the same ones each time, and nothing of what is masked."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from infra.failures import PermanentFailure
from streaming.commands import sample as command
from streaming.contracts import CONTRACTS
from streaming.golden.masking import Masking
from streaming.golden.record import RECORDS, Record, lines_of
from streaming.golden.sample import Sample, sample
from streaming.micro_batch.outcomes import arrow_schema
from streaming.tables.silver import QUARANTINE, SILVER

DAY = date(2026, 1, 31)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TOPICS = [CONTRACTS["orders"], CONTRACTS["payments"], replace(CONTRACTS["customers"], masked=("name",))]
MASKING = Masking(b"a key")


def event(
    topic: str, number: int, key: str | None, minutes: int, late_by_ms: int = 0, **payload: Any
) -> dict[str, Any]:
    at = NOON + timedelta(minutes=minutes)
    return {
        **{"topic": topic, "event_id": f"{topic}-{number}", "event_type": "any", "event_time": at, "schema_version": 1},
        **{
            CONTRACTS[topic].column: {CONTRACTS[topic].key: key, **payload},
            "key": key,
            "partition": 0,
            "offset": number,
        },
        **{"arrival": at + timedelta(seconds=1, milliseconds=late_by_ms), "late_by_ms": late_by_ms, "day": at.date()},
    }


def refused(
    topic: str, offset: int, key: bytes | None, value: bytes | None, *reasons: str, of: str = ""
) -> dict[str, Any]:
    at = NOON + timedelta(minutes=offset)
    own = {
        "topic": topic,
        "partition": 0,
        "offset": offset,
        "arrival": at,
        "day": at.date(),
        "key": key,
        "value": value,
    }
    return own | {"reasons": list(reasons), "event_id": of or None}


@pytest.fixture
def lake(local_lake: Path) -> Path:
    """40 orders, each paid; a customer has moved whom an order names; and records of another day."""
    items = [{"product_id": "p-1", "quantity": 1, "unit_price_cents": 5}]
    events = []
    for number in range(40):
        order, customer = f"o-{number:08x}", f"c-{number}"
        more = {"customer_id": customer, "items": items, "total_cents": 5}
        events += [event("orders", number, order, number, 60_000 if number % 4 else 0, **more)]
        events += [event("payments", number, order, number + 1, amount_cents=5)]
        events += [event("customers", number, customer, 0, name=f"Zacharias {number}")]
    events.append(event("orders", 99, "o-00000001", 24 * 60, customer_id="c-1"))
    # A contract that does not require its key of every event type.
    events.append(event("orders", 98, None, 5, customer_id="c-1"))
    rejected = [
        *(refused("orders", 100 + number, b"o-%08x" % number, b"{", "not_json") for number in range(40)),
        refused("orders", 200, None, None, "tombstone"),
        *(
            refused("payments", 100 + number, b"o", b"payments-%d" % number, "conflict", of=f"payments-{number}")
            for number in range(40)
        ),
        refused(
            "customers",
            100,
            b"c-1",
            b'{"customer_id": "c-1", "name": "Zacharias", "Name": "Zacharias"}',
            "unknown_field",
        ),
        refused("customers", 101, b"c-1", b"Zacharias", "not_json"),
    ]
    for table, rows in ((SILVER, events), (QUARANTINE, rejected)):
        write_deltalake(str(local_lake / table.id), pa.Table.from_pylist(rows, schema=arrow_schema(table.schema)))
    return local_lake


def of(found: Sample, topic: str) -> list[Record]:
    return [one for one in found.records if one.topic == topic]


def accepted(found: Sample, topic: str) -> set[str | None]:
    return {one.key for one in of(found, topic) if one.late_by_ms is not None}


def test_it_is_the_same_keys_each_time_and_of_joined_topics_too(lake: Path) -> None:
    found = sample(DAY, 5, TOPICS, MASKING)
    assert found == sample(DAY, 5, TOPICS, MASKING)
    assert len(accepted(found, "orders")) == 5
    assert accepted(found, "payments") == accepted(found, "orders")
    assert accepted(found, "orders") < accepted(sample(DAY, 9, TOPICS, MASKING), "orders")
    named = {one.value["customer_id"] for one in of(found, "orders") if isinstance(one.value, dict)}
    assert named < accepted(found, "customers")
    assert len(accepted(found, "customers")) <= 10


def test_records_are_as_they_arrived_and_in_this_order(lake: Path) -> None:
    found = sample(DAY, 40, TOPICS[:1], MASKING)
    assert [one.arrival for one in found.records] == sorted(one.arrival for one in found.records)
    one = next(one for one in found.records if one.key == "o-00000003" and one.late_by_ms is not None)
    assert (one.arrival, one.late_by_ms) == (NOON + timedelta(minutes=4, seconds=1), 60_000)
    assert one.value == {
        **{"event_id": "orders-3", "event_type": "any", "event_time": 1769860980000, "schema_version": 1},
        **{"order_id": "o-00000003", "customer_id": "c-3", "total_cents": 5},
        "items": [{"product_id": "p-1", "quantity": 1, "unit_price_cents": 5}],
    }
    assert len(accepted(found, "orders")) == 40, "none of another day"


def test_rejected_records_are_those_of_the_same_keys_first(lake: Path) -> None:
    found = sample(DAY, 5, TOPICS[:1], MASKING)
    assert {one.key for one in found.records if one.late_by_ms is None} == accepted(found, "orders")
    assert None in {one.key for one in sample(DAY, 41, TOPICS[:1], MASKING).records}


def test_a_conflict_comes_with_its_event_only(lake: Path) -> None:
    payments = of(sample(DAY, 5, TOPICS[1:2], MASKING), "payments")
    ids = {one.value["event_id"] for one in payments if isinstance(one.value, dict)}
    assert len(ids) == 5
    assert sorted(one.value.decode() for one in payments if isinstance(one.value, bytes)) == sorted(ids)


def test_nothing_is_left_of_what_is_masked(lake: Path) -> None:
    found = sample(DAY, 50, TOPICS[2:], MASKING)
    lines = [one.line for one in found.records]
    assert not [line for line in lines if "Zacharias" in line]
    assert found.left_out == 1
    names = [json.loads(line)["value"] for line in lines if '"late_by_ms":null' in line]
    assert len(names) == 1
    assert json.loads(names[0]).keys() == {"customer_id", "name", "Name"}
    assert any(one.key == "c-1" for one in found.records)


def test_the_command_writes_a_folder_or_lines(
    lake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, own = tmp_path / "tests" / "day", CONTRACTS["customers"]
    monkeypatch.setitem(CONTRACTS, "customers", replace(own, masked=("name",)))
    monkeypatch.setattr(command, "settings", lambda: SimpleNamespace(home=tmp_path))
    command.sample("2026-01-31", 5, ["customers", "orders"], folder)
    assert (
        "20 records, 4 of them late, 6 rejected; left out, because they cannot be masked: 1. Next:"
        in capsys.readouterr().out
    )
    command.sample("2026-01-31", 5, ["orders", "customers"])
    assert capsys.readouterr().out == (folder / RECORDS).read_text()
    assert (tmp_path / "masking.key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(PermanentFailure, match="no record of 2026-02-14"):
        command.sample("2026-02-14", 5, ["orders"])
    with pytest.raises(PermanentFailure, match="no topic order;"):
        command.sample("2026-01-31", 5, ["order"])


@pytest.mark.parametrize("value", [{"one": "é\u2028\n"}, b"text\r\n", b"\xff\x00", None])
def test_a_record_is_the_same_after_it_was_a_line(tmp_path: Path, value: Any) -> None:
    one = Record("orders", "o-1", NOON, None, value)
    file = tmp_path / "records.jsonl"
    file.write_text(f"{one.line}\n{one.line}\n")
    assert [Record.of(line) for line in lines_of(file)] == [one, one]


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"topic": "orders"}', "no"])
def test_a_line_that_is_no_record_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"lacks|Expecting"):
        Record.of(line)
