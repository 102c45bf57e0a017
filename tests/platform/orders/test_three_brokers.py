"""Three brokers: one is killed under load, another one leads in its place, and nothing is lost, doubled or held up."""

import pytest
from brokers import (
    FAILOVER_SECONDS,
    all_answered,
    controller,
    dead,
    end_of,
    in_sync,
    leads,
    micro_batch,
    partitions,
    problems,
    program,
)
from clicks import Clicks
from order_kills import Load
from running import Platform, until

from infra.shop.orders.order import ANSWERS
from streaming.contracts import CONTRACTS

pytestmark = pytest.mark.platform


def test_every_topic_has_three_replicas_and_needs_two(platform: Platform) -> None:
    every = partitions(platform)
    assert {one.topic for one in every} >= {*CONTRACTS, "__consumer_offsets", "order-state"}
    assert {one.everywhere for one in every} == {frozenset({1, 2, 3})}
    assert problems(platform) == {}


def test_a_killed_broker_costs_nothing_and_holds_nothing_up(platform: Platform) -> None:
    until("all replicas are in sync", lambda: in_sync(platform))
    victim = controller(platform)
    led = leads(platform, victim)
    assert led
    with Clicks(platform, "clicks-1") as clicks, Load(7) as commands:
        until("events are acknowledged", lambda: clicks.acked > 200)
        with dead(platform, victim):
            until("another controller", lambda: controller(platform, victim) not in (victim, -1), FAILOVER_SECONDS)
            until("other leaders", lambda: not leads(platform, victim), FAILOVER_SECONDS)
            assert not [one.name for one in partitions(platform) if one.is_offline]
            # Micro-batches and answers go on without it, and not from what was read before.
            since, answers = micro_batch(platform), end_of(platform, ANSWERS)
            until("the stream goes on", lambda: micro_batch(platform) > since + 2)
            until("the order service goes on", lambda: end_of(platform, ANSWERS) > answers + 100)
            said = problems(platform)
            assert {*said} == {f"kafka.behind/{victim}"}
            assert said[f"kafka.behind/{victim}"]["count"] == len(partitions(platform))
            assert f"Kafka: broker {victim} is behind in" in platform.run("daybreak", "status", check=False).stdout
    assert problems(platform) == {}
    platform.wait_drained()
    clicks.assert_in_silver(platform)
    until("every command is answered once", lambda: all_answered(platform) >= commands.sent)
    assert platform.status(program(victim))["condition"] == "healthy"
