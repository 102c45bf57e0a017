"""The broker killed, and the object store away for 20 s, while records come: the stream recovers by itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest
from accounting import unaccounted
from published import wait_published
from running import Platform
from traffic import Sendable, burst

pytestmark = pytest.mark.platform

AWAY_SECONDS = 20
PAUSE_SECONDS = 0.02


@contextmanager
def load(platform: Platform, seed: int) -> Iterator[None]:
    """Some fifty records a second, from before the block until its end; what is sent is in the ledger."""
    begun, stop = Event(), Event()

    def slowly() -> Iterator[Sendable]:
        begun.set()
        for number in range(10):
            for record in burst(seed * 10 + number):
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


def test_a_killed_broker(platform: Platform) -> None:
    with load(platform, 31):
        pid = platform.kill("kafka")
        platform.wait_healthy("kafka", after=pid)
    platform.wait_drained()
    wait_published(platform)
    assert unaccounted(platform) == []


def test_an_object_store_that_is_away(platform: Platform) -> None:
    with load(platform, 32):
        platform.kill("minio")
        platform.supervisor().stop("minio", wait=True)
        # The outage itself, not a wait for something.
        time.sleep(AWAY_SECONDS)
        platform.supervisor().begin("minio")
        platform.wait_healthy("minio")
    platform.wait_drained()
    assert unaccounted(platform) == []
