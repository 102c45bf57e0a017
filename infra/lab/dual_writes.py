"""The dual-writes lab: an application that writes database, search index and events itself, against change capture and an outbox.

Data flow: the same load twice -> database, index, events -> the checker of `daybreak shop-db check`
Run: daybreak lab dual-writes
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11: keeping systems in sync; the transactional outbox.
"""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, Lock
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Producer, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.lab.dual_writes_table import Outcome, Step, Store
from infra.lab.own_capture import captured
from infra.lab.search_index import SearchIndex
from infra.lab.topics import topics
from infra.settings import Settings
from infra.shop.db.check import compared
from infra.shop.db.connection import Connection, connected
from infra.shop.db.reading import Rows

WRITERS = 8
KEY_OF_THE_DEAD = "key-of-the-dead"
HOP_SECONDS = 0.02
"""Longest way from the application to another system."""
WAIT_SECONDS = 60
TABLE, OUTBOX = "lab_dual_writes", "lab_outbox"
Write = tuple[str, str]
"""A key and its new title."""


def plan(keys: int) -> list[list[Write]]:
    """What each writer writes: every key once, all in the same order, so that they meet; and the first one more, when it dies."""
    found = [[(f"key-{key:03}", f"title {key} by writer {writer}") for key in range(keys)] for writer in range(WRITERS)]
    found[0].insert(keys // 2, (KEY_OF_THE_DEAD, "written by the one that died"))
    return found


def measure(s: Settings, keys: int, seed: int) -> list[Outcome]:
    """Run both. Raises TransientFailure if the database, Connect or Kafka fails."""
    load = plan(keys)
    with (
        _tables(s),
        topics("dual-writes", ["events", "captured"], 1, s.kafka_replication) as (events, changes),
        TemporaryDirectory(prefix="lab-", dir=s.home / "tmp") as folder,
    ):
        first = _by_the_application(s, load, seed, SearchIndex(Path(folder) / "own"), events)
        with connected(s) as database:
            database.execute(f"TRUNCATE {TABLE}")
        with captured(s, [TABLE, OUTBOX], changes):
            second = _by_capture(s, load, seed, SearchIndex(Path(folder) / "captured"), changes)
    return [first, second]


def _by_the_application(s: Settings, load: Sequence[list[Write]], seed: int, index: SearchIndex, topic: str) -> Outcome:
    """Each writer writes the database, then the index, then the event; the first dies once between the first two."""
    steps: list[Step] = []
    lock, producer = Lock(), Producer(client.options() | {"acks": "all", "linger.ms": "0"})

    def write(database: Connection, writer: int, one: Write, hop: Callable[[], None]) -> None:
        key, title = one
        with lock, database.transaction():
            # Under the lock only so that the order of commits is known: it takes nothing from the race.
            database.execute(_UPSERT, [key, title])
            steps.append(Step(Store.DATABASE, writer, key, title))
        if key == KEY_OF_THE_DEAD:
            return
        hop()
        with lock:
            index.put(key, title)
            steps.append(Step(Store.INDEX, writer, key, title))
        hop()
        with lock:
            producer.produce(topic, json.dumps({"key": key, "title": title}), key)
            producer.flush(WAIT_SECONDS)
            steps.append(Step(Store.EVENTS, writer, key, title))

    written = _run(s, load, seed, write)
    told = _events(
        topic, sum(step.store is Store.EVENTS for step in steps), lambda value: (value["key"], value["title"])
    )
    return _outcome(s, "the application writes each", written, index, dict(told), steps)


def _by_capture(s: Settings, load: Sequence[list[Write]], seed: int, index: SearchIndex, topic: str) -> Outcome:
    """Each writer writes the database and an outbox in one transaction; the first dies behind it. A follower writes the index."""

    def write(database: Connection, writer: int, one: Write, hop: Callable[[], None]) -> None:
        key, title = one
        with database.transaction():
            database.execute(_UPSERT, [key, title])
            database.execute(f"INSERT INTO {OUTBOX} (key, title) VALUES (%s, %s)", [key, title])
        hop()

    written = _run(s, load, seed, write)
    found = _events(topic, 2 * written, lambda value: (value["source"]["table"], value["after"]))
    for table, row in found:
        if table == TABLE:
            index.put(row["key"], row["title"])
    told = {row["key"]: row["title"] for table, row in found if table == OUTBOX}
    return _outcome(s, "captured from its log, and an outbox", written, index, told, [])


def _run(
    s: Settings,
    load: Sequence[list[Write]],
    seed: int,
    write: Callable[[Connection, int, Write, Callable[[], None]], None],
) -> int:
    """All writers at once, each with a connection; of one that died the rest is written by its successor. How many writes."""
    together = Barrier(len(load))

    def work(writer: int) -> int:
        chance = random.Random(f"{seed} {writer}")
        with connected(s) as database:
            together.wait(WAIT_SECONDS)
            for one in load[writer]:
                write(database, writer, one, lambda: time.sleep(chance.random() * HOP_SECONDS))
        return len(load[writer])

    with ThreadPoolExecutor(len(load)) as pool:
        return sum(pool.map(work, range(len(load))))


def _outcome(
    s: Settings, way: str, written: int, index: SearchIndex, told: dict[str, str], steps: Sequence[Step]
) -> Outcome:
    with connected(s) as database:
        there = _rows(dict(database.execute(f"SELECT key, title FROM {TABLE}").fetchall()))
    of_index = compared(TABLE, "the index", there, _rows(index.titles()))
    return Outcome(way, written, of_index, compared(TABLE, "the events", there, _rows(told)), steps)


def _rows(titles: Mapping[str, str]) -> Rows:
    return {(key,): {"title": title} for key, title in titles.items()}


def _events(topic: str, count: int, of: Callable[[dict[str, Any]], tuple[str, Any]]) -> list[tuple[str, Any]]:
    """So many records of the topic, in their order. Raises TransientFailure if they do not come in time."""
    found: list[tuple[str, Any]] = []
    give_up = time.monotonic() + WAIT_SECONDS
    with client.consumer("lab", {"isolation.level": "read_committed"}) as consumer:
        consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        while len(found) < count:
            message = consumer.poll(0.5)
            if message is not None and not message.error():
                found.append(of(json.loads(message.value() or b"")))
            elif time.monotonic() > give_up:
                raise TransientFailure(
                    f"{len(found):,} of {count:,} changes came within {WAIT_SECONDS} s: daybreak status"
                )
    return found


@contextmanager
def _tables(s: Settings) -> Iterator[None]:
    """The lab's tables, gone at the end."""
    drop = f"DROP TABLE IF EXISTS {TABLE}, {OUTBOX}"
    with connected(s) as own:
        own.execute(drop)
        own.execute(f"CREATE TABLE {TABLE} (key text PRIMARY KEY, title text NOT NULL)")
        own.execute(f"CREATE TABLE {OUTBOX} (id bigserial PRIMARY KEY, key text NOT NULL, title text NOT NULL)")
    try:
        yield
    finally:
        with connected(s) as own:
            own.execute(drop)


_UPSERT = f"INSERT INTO {TABLE} VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET title = excluded.title"
