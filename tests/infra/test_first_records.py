"""Where the first records of partitions stand; one that cannot be unpacked here is in nobody's way.

Data flow: answers of a broker -> first_records -> Found per partition
Run: pytest tests/infra/test_first_records.py
"""

from datetime import UTC, datetime
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from infra.kafka.first_records import Found, first_records

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
PLACES = {("orders", 0): 5, ("orders", 1): 7, ("orders", 2): 0}


class Said:
    """A message of a partition, or an error in its place."""

    def __init__(self, partition: int, offset: int = 0, error: int | None = None) -> None:
        self._partition, self._offset, self._error = partition, offset, error

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return self._partition

    def offset(self) -> int:
        return self._offset

    def error(self) -> KafkaError | None:
        return None if self._error is None else KafkaError(self._error)

    def timestamp(self) -> tuple[int, int]:
        return 2, round(NOON.timestamp() * 1000)


class Consumer:
    """A consumer that has these answers, one after the other."""

    def __init__(self, *said: Said) -> None:
        self._said = list(said)

    def poll(self, seconds: float) -> Said | None:
        return self._said.pop(0) if self._said else None

    def __getattr__(self, name: str) -> Any:
        assert name in ("assign", "resume", "pause", "unassign")
        return lambda *_: None


@pytest.mark.parametrize("code", [KafkaError._BAD_COMPRESSION, KafkaError._BAD_MSG, KafkaError._PARTITION_EOF])
def test_what_cannot_be_unpacked_is_left_out(code: int) -> None:
    own: Any = Consumer(Said(1, error=code), Said(0, 5), Said(0, 6), Said(2, 3))
    assert first_records(own, PLACES) == {("orders", 0): Found(5, NOON), ("orders", 2): Found(3, NOON)}


def test_another_error_and_silence_are_told() -> None:
    for own in (Consumer(Said(0, error=KafkaError.TOPIC_AUTHORIZATION_FAILED)), Consumer(Said(0, 5))):
        asked: Any = own
        with pytest.raises(KafkaException):
            first_records(asked, PLACES)
