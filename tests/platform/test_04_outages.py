"""The broker killed, and the object store away for 20 s, while records come: the stream recovers by itself."""

import time

import pytest
from accounting import unaccounted
from published import wait_published
from running import Platform
from traffic import load

pytestmark = pytest.mark.platform

AWAY_SECONDS = 20


def test_a_killed_broker(platform: Platform) -> None:
    with load(platform, 31):
        pid = platform.kill("kafka")
        platform.wait_healthy("kafka", after=pid)
    platform.wait_drained()
    wait_published(platform)


def test_an_object_store_that_is_away(platform: Platform) -> None:
    with load(platform, 32):
        platform.kill("store")
        platform.supervisor().stop("store", wait=True)
        # The outage itself, not a wait for something.
        time.sleep(AWAY_SECONDS)
        platform.supervisor().begin("store")
        platform.wait_healthy("store")
    platform.wait_drained()
    assert unaccounted(platform) == []
