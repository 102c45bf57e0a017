"""Following topics into a cache: what is read, passed over, noticed and rebuilt, against a real server and the real protocol."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from cache_server import CacheServer
from confluent_kafka import Producer

from infra.failures import TransientFailure
from infra.shop.db.changes import Change
from infra.shop.db.connector import topic
from infra.shop.followers import follow as module
from infra.shop.followers.cache import CACHE
from infra.shop.followers.corrected import row_name
from infra.shop.followers.lag import lag
from infra.shop.followers.row_cache import RowCache

STOCK, CUSTOMERS = topic("stock"), topic("customers")
LONGEST_SECONDS = 60


def change(number: int, lsn: int, on_hand: int | None = 1) -> bytes:
    row = {"product_id": f"p-{number}", "warehouse": "north"}
    after = None if on_hand is None else row | {"on_hand": on_hand}
    op = "d" if after is None else "u"
    return json.dumps({"op": op, "before": row, "after": after, "source": {"lsn": lsn, "ts_ms": 0}}).encode()


class Log:
    """The topics, the cache that follows them, and what is in it."""

    def __init__(self, kafka: SimpleNamespace, server: CacheServer) -> None:
        self._producer = Producer({"bootstrap.servers": kafka.kafka_bootstrap})
        self.s, self.server, self.failed = server.settings, server, list[Exception]()
        (self.s.home / "run").mkdir()

    def write(self, name: str, *values: bytes) -> None:
        for value in values:
            self._producer.produce(name, key=b"k", value=value, partition=0)
        assert self._producer.flush(30) == 0

    def cache(self) -> RowCache:
        return RowCache.serving(self.s)

    def on_hand(self) -> dict[str, int]:
        return {key[0]: row["on_hand"] for key, row in self.cache().rows("stock").items()}

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Within the block the follower runs; what ends it is in `failed`."""
        over = Event()

        def run() -> None:
            try:
                module.follow(self.s, CACHE, over.is_set)
            except Exception as failure:
                self.failed.append(failure)

        thread = Thread(target=run)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@pytest.fixture
def log(kafka: SimpleNamespace, cache_server: CacheServer, monkeypatch: pytest.MonkeyPatch) -> Log:
    # The least that the loop waits between two looks.
    monkeypatch.setattr(module, "SAY_SECONDS", 0.1)
    return Log(kafka, cache_server)


def until(holds: Callable[[], bool]) -> None:
    give_up = time.monotonic() + LONGEST_SECONDS
    while not holds():
        assert time.monotonic() < give_up, "it does not come to hold"
        time.sleep(0.05)


def test_changes_and_corrections_arrive_and_the_rest_is_passed_over(log: Log) -> None:
    said: dict[str, Any] = {"view": "totals", "day": "2026-01-31", "key": {"id": "o-1"}, "new": {"n": 2}, "sequence": 1}
    log.write(STOCK, change(1, 1), b"{", change(2, 2), b"\xff", change(2, 3, None), change(1, 4, 9))
    log.write("corrections", b"[]", json.dumps(said).encode())
    with log.followed():
        until(lambda: lag(log.s, CACHE).behind == 0)
        # The connector makes a table's topic with its first change.
        customer = {"op": "c", "before": None, "after": {"customer_id": "c-1"}, "source": {"lsn": 5, "ts_ms": 0}}
        log.write(CUSTOMERS, json.dumps(customer).encode())
        until(lambda: log.cache().row("customers", ("c-1",)) is not None)
    assert log.on_hand() == {"p-1": 9}
    assert json.loads(log.cache().correction(row_name("totals", "2026-01-31", ["o-1"])) or "") == said
    assert log.failed == []
    assert log.cache().position()[STOCK, 0] == 6


def test_a_follower_goes_on_where_its_data_is(log: Log) -> None:
    log.write(STOCK, change(1, 1))
    with log.followed():
        until(lambda: log.on_hand() == {"p-1": 1})
    log.write(STOCK, change(2, 2))
    with log.followed():
        until(lambda: log.on_hand() == {"p-1": 1, "p-2": 1})
    assert json.loads(CACHE.status_file(log.s).read_text())["applied"] <= 1


def test_an_idle_follower_notices_that_the_server_lost_its_data(log: Log) -> None:
    log.write(STOCK, change(1, 1))
    with log.followed():
        until(lambda: lag(log.s, CACHE).behind == 0)
        log.server.kill()
        log.server.start()
        until(lambda: bool(log.failed))
    assert isinstance(log.failed[0], TransientFailure)
    with log.followed():
        until(lambda: log.on_hand() == {"p-1": 1})


def test_a_rebuild_serves_the_old_rows_until_the_new_ones_are_there(log: Log) -> None:
    log.write(STOCK, *(change(number, number + 1) for number in range(3)))
    with log.followed():
        until(lambda: len(log.on_hand()) == 3)
    # It has a row that the log does not have, and lacks two.
    cache = log.cache()
    position = cache.position()
    cache.clear()
    cache.apply([("stock", Change(1, "c", ("p-9", "north"), None, {"on_hand": 1}))], [], position)
    served: list[set[str]] = []

    @contextmanager
    def stands_still() -> Iterator[None]:
        served.append(set(log.on_hand()))
        yield

    assert module.rebuild(log.s, CACHE, stands_still) == 3
    assert served == [{"p-9"}]
    assert set(log.on_hand()) == {"p-0", "p-1", "p-2"}
    log.write(STOCK, change(3, 9))
    with log.followed():
        until(lambda: len(log.on_hand()) == 4)
    assert log.failed == []


def test_a_rebuild_that_fails_leaves_nothing_behind(log: Log) -> None:
    log.write(STOCK, change(1, 1))
    with log.followed():
        until(lambda: log.on_hand() == {"p-1": 1})

    @contextmanager
    def fails() -> Iterator[None]:
        raise TransientFailure("the follower does not stop")
        yield

    with pytest.raises(TransientFailure, match="does not stop"):
        module.rebuild(log.s, CACHE, fails)
    assert log.on_hand() == {"p-1": 1}
    other = {"a": "b", "b": "a"}[log.cache().which]
    assert RowCache(log.s, other).position() == {}
