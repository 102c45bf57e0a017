"""`kill -9` of the stream at five places, under fresh records: supervisor starts it again and nothing is lost or doubled."""

import os
import signal
from pathlib import Path

import psutil
import pytest
from accounting import unaccounted
from running import Platform
from traffic import burst

pytestmark = pytest.mark.platform

PLACES = (
    ("ingest.before-bronze",),
    ("ingest.after-bronze",),
    ("ingest.after-silver",),
    ("order_totals.after-speed", "order_payments.after-speed"),
)
"""The views stand side by side, so one death is both of theirs."""


@pytest.mark.parametrize("places", PLACES, ids=" and ".join)
def test_killed_there_it_goes_on_as_if_nothing_had_been(platform: Platform, places: tuple[str, ...]) -> None:
    for place in places:
        platform.hold(place)
    platform.send(burst(100 + PLACES.index(places)))
    for place in places:
        platform.reached(place)
    platform.kill("stream")
    for place in places:
        platform.release(place)
    platform.wait_drained()
    assert unaccounted(platform) == []


def test_a_finished_batch_whose_checkpoint_does_not_know_it_is_not_written_twice(platform: Platform) -> None:
    platform.supervisor().stop("stream", wait=True)
    commits = platform.settings.home / "checkpoints" / "ingest" / "commits"
    last = max((path for path in commits.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    for path in (last, Path(commits / f".{last.name}.crc")):
        path.unlink(missing_ok=True)
    platform.supervisor().begin("stream")
    platform.send(burst(200))
    platform.wait_drained()
    assert unaccounted(platform) == []


def test_without_its_spark_the_driver_ends_and_is_started_again(platform: Platform) -> None:
    pid = int(platform.status("stream")["pid"])
    (java,) = (child for child in psutil.Process(pid).children(recursive=True) if child.name() == "java")
    os.kill(java.pid, signal.SIGKILL)
    platform.send(burst(201))
    platform.wait_healthy("stream", after=pid)
    platform.wait_drained()
    assert unaccounted(platform) == []
