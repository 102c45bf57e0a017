"""`kill -9` of the stream at each of its six points, under fresh records: nothing is lost or doubled, looked at once."""

import os
import signal

import psutil
import pytest
from accounting import unaccounted
from running import Platform
from traffic import burst
from truth_check import misspoken

pytestmark = pytest.mark.platform

PAIRS = (
    ("ingest.before-bronze", "ingest.after-silver"),
    ("ingest.after-bronze", "ingest.after-speed"),
    ("ingest.after-quarantine", "ingest.after-progress"),
)
"""One micro-batch dies at the first, and when it is repeated at the second; once more, and it might be called a bad one."""


@pytest.mark.parametrize("places", PAIRS, ids=" and ".join)
def test_killed_there_it_goes_on(platform: Platform, places: tuple[str, str]) -> None:
    for place in places:
        platform.hold(place)
    # With malformed records in it, so that every table is written.
    platform.send(burst(100 + PAIRS.index(places)))
    for place in places:
        platform.reached(place)
        platform.kill("stream")
        platform.release(place)
    platform.wait_drained()


def test_without_its_spark_the_driver_ends_and_is_started_again(platform: Platform) -> None:
    # What it had not read when it was killed last, it need not read again: it may just be starting.
    platform.wait_healthy("stream")
    pid = int(platform.status("stream")["pid"])
    (java,) = (child for child in psutil.Process(pid).children(recursive=True) if child.name() == "java")
    os.kill(java.pid, signal.SIGKILL)
    platform.send(burst(201))
    platform.wait_healthy("stream", after=pid)
    platform.wait_drained()


def test_after_all_deaths_everything_is_there_once(platform: Platform) -> None:
    assert unaccounted(platform) == []
    assert misspoken(platform) == []
