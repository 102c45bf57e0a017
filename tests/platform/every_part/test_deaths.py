"""Every part dies at random moments under load; at the end all copies and both layers are equal.

DAYBREAK_SOAK_SEED (printed) gives the same deaths again, DAYBREAK_SOAK_KILLS how many.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from clicks import Clicks
from database import Database
from nights import Nights, unequal
from order_kills import Load
from running import Platform, until
from schedule import skip_last_night
from written import written

from infra.problems import problems
from infra.services.kafka import BROKERS
from infra.services.program import Name

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
KILLS = int(os.environ.get("DAYBREAK_SOAK_KILLS", "300"))
DAY = datetime.now(UTC).date() - timedelta(days=2)
NIGHT = "night"
SERVING = tuple(name.value for name in Name if name is Name.GATEWAY or name.startswith("airflow"))
FOLLOWERS = ("follower-index", "follower-cache", "follower-orders")
SERVICES = (
    "connect",
    *map(str, BROKERS),
    "store",
    "postgres",
    "stream",
    "cache",
    *FOLLOWERS,
    "order-service",
    *SERVING,
)
MORTAL = (NIGHT, *SERVICES)
LONGEST_LIFE = 5
"""Seconds between two deaths: many come while something else has not come back."""
CALM_SECONDS = 1200


def deaths(chance: Random) -> Iterator[str]:
    """What dies next: in random order, and each as often as any other."""
    while True:
        yield from chance.sample(MORTAL, len(MORTAL))


def kill(platform: Platform, nights: Nights, name: str) -> bool:
    """Was there something to kill?"""
    if name == NIGHT:
        return nights.kill()
    if not platform.supervisor().processes()[Name(name)].pid:
        return False
    platform.kill(name)
    return True


def test_every_part_may_die_at_any_moment(database: Database) -> None:
    platform, chance = database.platform, Random(SEED)
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    platform.run("daybreak", "up", "--only", ",".join(SERVING))
    skip_last_night(platform)
    platform.run("daybreak", "shop", "--days", "2", "--rate", "0.01", "--seed", str(SEED))
    died: Counter[str] = Counter()
    with (
        written(platform, SEED) as done,
        Load(SEED, pause=0.004, orders=400) as load,
        Clicks(platform, f"live-{SEED}", pause=0.02) as live,
        Clicks(
            platform, f"late-{SEED}", datetime.now(UTC) - datetime(DAY.year, DAY.month, DAY.day, 12, tzinfo=UTC), 0.1
        ) as late,
        Nights(platform, DAY) as nights,
    ):
        for name in deaths(chance):
            time.sleep(chance.uniform(0, LONGEST_LIFE))
            if kill(platform, nights, name):
                died[name] += 1
                print(f"{datetime.now(UTC):%H:%M:%S} death {died.total()} of {KILLS}: {name}", flush=True)
            if died.total() == KILLS:
                break
    print(f"{dict(died)}, {done}, {load.sent} commands, {live.acked} and {late.acked} events, nights {nights.ended}")
    assert min(died[name] for name in MORTAL) >= KILLS // len(MORTAL) // 4, "one of them was hardly ever up"
    # A sender that ended early would have nothing to miss.
    assert min(live.acked, late.acked) > KILLS
    for name in SERVICES:
        platform.wait_healthy(name, seconds=CALM_SECONDS)
    platform.wait_drained(CALM_SECONDS)
    every_copy_is_equal(database, load, done)
    for own in (live, late):
        own.assert_in_silver(platform)
    platform.run("daybreak", "backfill", "--from", str(DAY), "--to", str(DAY), seconds=3600)
    platform.wait_drained(CALM_SECONDS)
    assert unequal(platform, DAY) == [], f"seed {SEED}"
    assert [one.what for one in problems(platform.settings)] == []


def every_copy_is_equal(database: Database, load: Load, done: Counter[str]) -> None:
    """The database's tables in log, stream and followers; each command's one answer, and three ways to each order."""
    platform = database.platform
    assert done["writes"] > KILLS
    copies = database.checked()
    assert {one["copy"] for one in copies} >= {"the log", "the stream", "the index", "the cache"}
    assert database.twice() == [], f"seed {SEED}"

    def answered() -> bool:
        said = platform.run("daybreak", "order", "check", "--json", check=False)
        return not said.returncode and bool(json.loads(said.stdout)["commands"] >= load.sent)

    until("every command is answered once", answered, CALM_SECONDS)
    platform.wait_drained(CALM_SECONDS)
    replay, *captured = json.loads(platform.run("daybreak", "shop-db", "check", "--orders", "--json").stdout)
    assert replay["orders"] == replay["equal"] > KILLS, replay
    assert [way["equal"] for way in captured] == [replay["equal"]] * 2
    events = [row for row in platform.rows("silver/events", "topic", "answers") if row["topic"] == "answers"]
    found = json.loads(platform.run("daybreak", "order", "check", "--json").stdout)
    assert len(events) == len({row["answers"]["command_id"] for row in events}) == found["accepted"] + found["rejected"]
