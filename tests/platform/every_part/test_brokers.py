"""Each of three brokers is killed in turn: stream, night, capture and order service go on; nothing is lost or doubled."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from brokers import FAILOVER_SECONDS, all_answered, dead, end_of, in_sync, leads, micro_batch, problems
from clicks import Clicks
from database import Database
from order_kills import Load
from running import Platform, until
from written import written

from infra.shop.db.connector import topic
from infra.shop.db.tables import COMPARED
from infra.shop.orders.order import ANSWERS

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(4 * 3600)]

SEED = int(os.environ.get("DAYBREAK_SOAK_SEED", time.time_ns() % 1_000_000))
PRODUCTS = topic("products")
DAY = datetime.now(UTC).date() - timedelta(days=1)


def goes_on_without(platform: Platform, broker: int) -> None:
    """Others lead, and answers, captured changes and micro-batches come that did not come before."""
    until("other leaders", lambda: not leads(platform, broker), FAILOVER_SECONDS)
    answers, changes, batch = end_of(platform, ANSWERS), end_of(platform, PRODUCTS), micro_batch(platform)
    until("the order service goes on", lambda: end_of(platform, ANSWERS) > answers + 100)
    until("the capture goes on", lambda: end_of(platform, PRODUCTS) > changes + 100)
    until("the stream goes on", lambda: micro_batch(platform) > batch + 2)


def test_each_broker_dies_in_turn_and_everything_goes_on(database: Database) -> None:
    platform = database.platform
    print(f"DAYBREAK_SOAK_SEED={SEED}")
    platform.run("daybreak", "shop", "--days", "1", "--rate", "0.02", "--seed", str(SEED))
    platform.wait_drained()
    until("all replicas are in sync", lambda: in_sync(platform))
    with (
        written(platform, SEED) as done,
        Load(SEED, pause=0.004, orders=400) as commands,
        Clicks(platform, f"clicks-{SEED}") as clicks,
    ):
        until("events are acknowledged", lambda: clicks.acked > 200)
        for number in (1, 2, 3):
            with dead(platform, number):
                night = platform.begin("batch", "night", "--date", str(DAY))
                goes_on_without(platform, number)
                said, wrong = night.communicate(timeout=1800)
                assert night.returncode == 0, said + wrong[-3000:]
    assert problems(platform) == {}
    platform.wait_drained()
    clicks.assert_in_silver(platform)
    assert done["writes"] > 100
    assert {one["copy"] for one in database.checked()} >= {"the log", "the stream", "the index", "the cache"}
    assert database.twice() == [], f"seed {SEED}"
    assert {one["table"] for one in database.checked()} == {*COMPARED}
    until("every command is answered once", lambda: all_answered(platform) >= commands.sent)
