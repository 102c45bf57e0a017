"""What a receiver gets for a record."""

import json

import pytest
from confluent_kafka import Message

from streaming.notify.envelope import delivery
from streaming.webhooks.signature import sign, verify

ID = "p4mVQ4lMTqKn0o9sJ_-xYg"


def record(value: bytes | None, key: bytes | None = b"fraud_alerts/card-1", offset: int = 17) -> Message:
    return Message(topic="alerts", partition=1, offset=offset, key=key, value=value, timestamp=(2, 1_700_000_000_123))


def test_a_value_is_sent_as_it_stands() -> None:
    value = b'{"view":"fraud_alerts","sum":1.10,"big":12345678901234567890}'
    found = delivery("alerts", ID, record(value))
    assert found.body == (
        b'{"type":"alert","timestamp":"2023-11-14T22:13:20.123Z","key":"fraud_alerts/card-1","data":' + value + b"}"
    )
    assert found.what == "alerts/1@17"


def test_an_id_is_the_records_own_and_can_be_signed() -> None:
    first, again = (delivery("alerts", ID, record(b"{}")) for _ in range(2))
    assert first.id == again.id == f"{ID}-1-17"
    others = {
        delivery("alerts", ID, record(b"{}", offset=18)).id,
        delivery("alerts", "q" + ID[1:], record(b"{}")).id,
    }
    assert first.id not in others
    assert len(others) == 2
    verify([b"k" * 24], first.id, "7", sign(b"k" * 24, first.id, 7, first.body), first.body, 7)


@pytest.mark.parametrize(
    ("value", "data"), [(None, None), (b"{", "{"), (b"\xff", "\ufffd"), (b"[" * 100_000, "[" * 100_000)]
)
def test_what_is_no_json_is_sent_as_a_text(value: bytes | None, data: object) -> None:
    assert json.loads(delivery("corrections", ID, record(value, b"\xff")).body)["data"] == data
