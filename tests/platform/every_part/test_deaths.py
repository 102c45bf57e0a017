"""Every part dies at random moments under load; at the end all copies are equal, and every command has one answer.

DAYBREAK_SOAK_SEED (printed) gives the same deaths again, DAYBREAK_SOAK_KILLS how many.
"""

import json
import os
import time
from collections import Counter
from datetime import UTC, datetime
from random import Random

import pytest
from database import Database
from order_kills import Load
from running import until
from written import written

from infra.services.kafka import BROKERS
from infra.services.program import Name

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
KILLS = int(os.environ.get("DAYBREAK_SOAK_KILLS", "200"))
FOLLOWERS = ("follower-index", "follower-cache", "follower-orders")
MORTAL = ("connect", *BROKERS, "postgres", "stream", "cache", *FOLLOWERS, "order-service")
LONGEST_LIFE = 5
"""Seconds between two deaths: many come while something else has not come back."""
CALM_SECONDS = 600


def test_every_part_may_die_at_any_moment(database: Database) -> None:
    platform, chance = database.platform, Random(SEED)
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    died: Counter[str] = Counter()
    with written(platform, SEED) as done, Load(SEED, pause=0.004, orders=400) as load:
        while died.total() < KILLS:
            time.sleep(chance.uniform(0, LONGEST_LIFE))
            name = chance.choice(MORTAL)
            if platform.supervisor().processes()[Name(name)].pid:
                platform.kill(name)
                died[name] += 1
                print(f"{datetime.now(UTC):%H:%M:%S} death {died.total()} of {KILLS}: {name}")
    print(f"{died}, {done}, {load.sent} commands")
    assert min(died[name] for name in MORTAL) > KILLS / len(MORTAL) / 4, "one of them was hardly ever up"
    for name in MORTAL:
        platform.wait_healthy(name, seconds=CALM_SECONDS)
    platform.wait_drained(CALM_SECONDS)
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
