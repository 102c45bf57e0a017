"""Single records are read by their places, however well their producer packed them.

Data flow: librdkafka's own broker -> values_at -> bytes
Run: pytest tests/infra/test_values.py
"""

from types import SimpleNamespace

import pytest
from confluent_kafka import Producer

from infra.failures import TransientFailure
from infra.kafka import values
from infra.kafka.values import values_at

MB = 1 << 20


@pytest.fixture
def log(kafka: SimpleNamespace) -> None:
    """Five records in each of two partitions; the third is 8 MB, packed into a few kB, and the last has no value."""
    producer = Producer(
        {"bootstrap.servers": kafka.kafka_bootstrap, "compression.type": "gzip", "message.max.bytes": 9 * MB}
    )
    for number in range(5):
        for partition in (0, 1):
            value = None if number == 4 else bytes(8 * MB) if number == 2 else b"%d of %d" % (number, partition)
            producer.produce("orders", value, partition=partition)
    assert producer.flush(30) == 0


def test_the_records_that_are_asked_for_are_found(log: None) -> None:
    found = values_at([("orders", 1, 3), ("orders", 0, 2), ("orders", 0, 4), ("orders", 1, 1)])
    assert found == {
        ("orders", 1, 1): b"1 of 1",
        ("orders", 1, 3): b"3 of 1",
        ("orders", 0, 2): bytes(8 * MB),
        ("orders", 0, 4): None,
    }


def test_a_record_that_is_not_there_is_named(log: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "SECONDS", 1)
    with pytest.raises(TransientFailure, match="orders-0, offset 7"):
        values_at([("orders", 0, 7), ("orders", 0, 1)])
