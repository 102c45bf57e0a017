"""A follower: a cache of the views, kept by what the stream says and by the corrections, and by nothing else.

Data flow: speed/<view> as it grows, topic `corrections` (committed records) -> per view its rows by key and day
Run: pytest tests/platform/test_09_corrections.py
"""

import json
import time
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition
from running import VIEWS, Platform
from truth_check import COLUMNS, Rows, answered, rank

TOPIC = "corrections"
READ_SECONDS = 60
BEFORE_ALL = -2
"""A number before every micro-batch's: what a new generation says again of silver are the rows of number -1."""
TIMES = {"window_start", "ordered_at", "captured_at"}
"""The columns that JSON has as text and the tables as times."""


def records(
    platform: Platform, isolation: str = "read_committed", start: Mapping[int, int] | None = None
) -> list[Message]:
    """What a consumer of that isolation gets of the topic, from the beginning or from offsets, to its end now."""
    consumer = Consumer(
        {
            **platform.kafka,
            "group.id": "tests",
            "isolation.level": isolation,
            "enable.partition.eof": "true",
            "enable.auto.commit": "false",
            "log_level": 0,
        }
    )
    try:
        topics = consumer.list_topics(timeout=30).topics
        left = set(topics[TOPIC].partitions) if TOPIC in topics else set()
        consumer.assign([TopicPartition(TOPIC, n, (start or {}).get(n, OFFSET_BEGINNING)) for n in left])
        found, give_up = [], time.monotonic() + READ_SECONDS
        while left:
            assert time.monotonic() < give_up, f"{TOPIC}: partitions {left} do not end"
            message = consumer.poll(1)
            if message is not None and message.error() is None:
                found.append(message)
            elif message is not None:
                assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                left.discard(message.partition())
        return found
    finally:
        consumer.close()


class Follower:
    """Catches up when asked, with VIEWS; a corrected row stays as corrected, whatever the stream says of it afterwards."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._generation = dict.fromkeys(VIEWS, "")
        self._batch = dict.fromkeys(VIEWS, BEFORE_ALL)
        self._next: dict[int, int] = {}
        self.said: dict[str, dict[tuple[Any, ...], tuple[Any, tuple[Any, ...]]]] = {view: {} for view in VIEWS}
        self.corrected: dict[str, dict[tuple[Any, ...], tuple[Any, ...] | None]] = {view: {} for view in VIEWS}

    def catch_up(self) -> None:
        """Apply what is new in the speed tables and in the topic."""
        for view in VIEWS:
            self._hear(view)
        for record in records(self._platform, start=self._next):
            self._correct(json.loads(record.value()))
            self._next[record.partition()] = record.offset() + 1

    def answer(self, view: str) -> Rows:
        """The cache: key and day -> values."""
        rows = {key: values for key, (_, values) in self.said[view].items()} | self.corrected[view]
        return {key: values for key, values in rows.items() if values is not None}

    def _hear(self, view: str) -> None:
        """The stream's new rows: of a key the one that the view prefers, else the latest; a new generation starts over."""
        rows = list(answered(self._platform, "speed", view))
        newest = max((row["generation"] for *_, row in rows), default="")
        if newest > self._generation[view]:
            self._generation[view], self._batch[view], self.said[view] = newest, BEFORE_ALL, {}
        new = [one for one in rows if one[2]["generation"] == newest and one[2]["batch_id"] > self._batch[view]]
        for key, values, row in new:
            candidate = (rank(view, row, values), values)
            self.said[view][key] = min(self.said[view].get(key, candidate), candidate, key=lambda one: one[0])
        self._batch[view] = max((row["batch_id"] for *_, row in new), default=self._batch[view])

    def _correct(self, value: dict[str, Any]) -> None:
        if value["view"] not in self.corrected:
            return
        keys, columns = COLUMNS[value["view"]]
        key = (*(_read(name, value["key"][name]) for name in keys), date.fromisoformat(value["day"]))
        new = value["new"]
        self.corrected[value["view"]][key] = new and tuple(_read(name, new[name]) for name in columns)


def _read(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in TIMES and value is not None else value
