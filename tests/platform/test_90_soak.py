"""Deaths at random moments under load, nights that die, a replay: everything is there once, and memory does not grow.

DAYBREAK_SOAK_SEED (printed) gives the same deaths again, DAYBREAK_SOAK_KILLS how many, DAYBREAK_SOAK_MINUTES how long the
steady load lasts.
"""

import os
import signal
import time
from datetime import UTC, datetime, timedelta
from random import Random

import psutil
import pytest
from accounting import unaccounted
from conserved import disagreeing
from running import Platform
from traffic import load, paid, placed
from truth_check import misspoken, untrue

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
KILLS = int(os.environ.get("DAYBREAK_SOAK_KILLS", "20"))
MINUTES = float(os.environ.get("DAYBREAK_SOAK_MINUTES", "20"))
DAY = datetime.now(UTC).date() - timedelta(days=2)
SINGLE = ("stream", "stream", "stream", "spark", "kafka", "store", "postgres")
"""What dies: the stream with all its processes mostly, only its Spark, or what it stands on."""
LONGEST_LIFE = 40
"""Seconds that it has at most between two deaths: some come before it has read anything."""
GROWTH = 1.25


@pytest.fixture(scope="module")
def rng() -> Random:
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    return Random(SEED)


def test_random_deaths_under_load_lose_and_double_nothing(platform: Platform, rng: Random) -> None:
    with load(platform, SEED):
        for number in range(KILLS):
            time.sleep(rng.uniform(0, LONGEST_LIFE))
            dies = rng.choice(SINGLE)
            print(f"{datetime.now(UTC):%H:%M:%S} death {number + 1} of {KILLS}: {dies}")
            if dies == "spark":
                _kill_spark(platform)
            else:
                old = platform.kill(dies)
                if dies != "stream":
                    platform.wait_healthy(dies, after=old)
    platform.wait_healthy("stream")
    platform.wait_drained()
    assert unaccounted(platform) == [], f"seed {SEED}"
    assert misspoken(platform) == [], f"seed {SEED}"


def _kill_spark(platform: Platform) -> None:
    """Nothing, where it has none yet."""
    pid = platform.status("stream")["pid"]
    for child in psutil.Process(int(pid)).children(recursive=True) if pid else ():
        if child.name() == "java":
            os.kill(child.pid, signal.SIGKILL)


def test_nights_that_die_anywhere_end_in_the_truth(platform: Platform, rng: Random) -> None:
    noon = datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC)
    platform.send([placed(f"soak {SEED} {n}", noon + timedelta(minutes=n)) for n in range(20)])
    platform.send([paid(f"soak {SEED} {n}", noon + timedelta(minutes=n + 5)) for n in range(0, 20, 2)])
    platform.wait_drained()
    for _ in range(max(KILLS // 4, 1)):
        process = platform.begin("batch", "night", "--date", str(DAY))
        time.sleep(rng.uniform(2, LONGEST_LIFE))
        # It may have ended: then this day is settled, and the next has nothing to do.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    platform.run("batch", "night", "--date", str(DAY))
    assert untrue(platform, [DAY]) == [], f"seed {SEED}"
    assert unaccounted(platform, archived=True) == []
    assert disagreeing(platform) == []
    sequences = sorted(row["sequence"] for row in platform.rows("reconciliation/corrections", "sequence"))
    assert sequences == list(range(1, len(sequences) + 1))


def test_a_rebuild_after_all_of_it_says_the_same(platform: Platform) -> None:
    platform.supervisor().stop("stream", wait=True)
    platform.run("streaming", "rebuild")
    platform.supervisor().begin("stream")
    with load(platform, SEED + 1):
        platform.wait_healthy("stream")
    platform.wait_drained()
    assert unaccounted(platform) == []
    assert misspoken(platform) == []


def test_under_a_steady_load_memory_does_not_grow(platform: Platform) -> None:
    """A table's handle that is kept, or a cache without a bound, shows here."""
    pid = int(platform.status("stream")["pid"])
    with load(platform, SEED + 2):
        # The first quarter is the JVM's warming up.
        time.sleep(MINUTES * 60 / 4)
        before = psutil.Process(pid).memory_info().rss
        time.sleep(MINUTES * 60 * 3 / 4)
        after = psutil.Process(pid).memory_info().rss
    assert int(platform.status("stream")["pid"]) == pid
    assert after < GROWTH * before, f"the driver's Python had {before >> 20} MiB and has {after >> 20}"
    platform.wait_drained()
    assert unaccounted(platform) == []
