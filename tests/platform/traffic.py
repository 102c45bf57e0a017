"""Records for failpoints: bursts of the shop's traffic, and single orders at given times.

Data flow: now, seed -> (topic, key, value, event_id, kind), as Platform.send takes them
Run: pytest tests/platform/test_03_kills.py
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from threading import Event, Thread
from typing import Any

from corpus import encoded, identity, order, payment
from running import Platform

from infra.shop.faults import Faults
from infra.shop.run import Run

Sendable = tuple[str, bytes | None, bytes | None, str | None, str]
"""Topic, key, value, event_id, kind."""
MINUTES_MS = 120_000
PER_SECOND = 12.0
PAUSE_SECONDS = 0.02
NOW = timedelta()


def burst(seed: int, per_second: float = PER_SECOND, ago: timedelta = NOW) -> Iterator[Sendable]:
    """What a shop with all its faults did in the last two minutes, or in those so long ago."""
    now_ms = time.time_ns() // 1_000_000 - round(ago.total_seconds() * 1000)
    faults = Faults(duplicates=0.05, malformed=0.02, future=0.01, jitter_seconds=5)
    run = Run(now_ms - MINUTES_MS, now_ms, per_second, seed, now_ms, faults)
    return ((copy.topic, copy.key, copy.value, copy.event_id, copy.kind) for copy in run.records())


def placed(name: str, at: datetime, kind: str = "good", **changes: Any) -> Sendable:
    """One order of its own, with `changes`."""
    at_ms = round(at.timestamp() * 1000)
    order_id = order_id_of(name)
    event = order(name, at_ms, event_time=at_ms, order_id=order_id, **changes)
    return "orders", order_id.encode(), encoded(event), event["event_id"], kind


def paid(name: str, at: datetime) -> Sendable:
    """The captured payment of the order of that name."""
    at_ms = round(at.timestamp() * 1000)
    order_id = order_id_of(name)
    event = payment(f"{name} paid", at_ms, event_time=at_ms, order_id=order_id)
    return "payments", order_id.encode(), encoded(event), event["event_id"], "good"


def order_id_of(name: str) -> str:
    """The order_id of the order of that name."""
    return f"o-{identity(name, 0).replace('-', '')}"


@contextmanager
def load(platform: Platform, seed: int) -> Iterator[None]:
    """Some fifty records a second, from before the block until its end; what is sent is in the ledger."""
    begun, stop = Event(), Event()

    def slowly() -> Iterator[Sendable]:
        begun.set()
        for number in count():
            for record in burst(seed * 1000 + number):
                if stop.wait(PAUSE_SECONDS):
                    return
                yield record

    failures: list[BaseException] = []

    def send() -> None:
        try:
            platform.send(slowly())
        except BaseException as failure:
            failures.append(failure)

    thread = Thread(target=send)
    thread.start()
    # What is sent by a client that has found the broker survives it; one that finds none says so and ends.
    assert begun.wait(timeout=60), failures
    try:
        yield
    finally:
        stop.set()
        thread.join(timeout=330)
    assert not thread.is_alive()
    assert not failures, failures
