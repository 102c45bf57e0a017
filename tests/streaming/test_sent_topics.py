"""Which topics are granted to those who send events: those that the platform does not write itself."""

import pytest

from infra.kafka.sent_topics import sent_topics as asked
from infra.kafka_users import User
from infra.settings import Settings
from infra.shop.faults import Faults
from infra.shop.options import ORDER_SERVICE
from infra.shop.run import Run
from streaming.contracts import CONTRACTS
from streaming.own_writers import own_writer
from streaming.sent_topics import sent_topics
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.shop.contracts.shop_db import SHOP_STOCK

HOUR_MS = 3_600_000
NOW_MS = 1_790_000_000_000


def test_shop_and_webhooks_write_the_topics_of_contracts() -> None:
    assert sent_topics(Settings()) == {User.SENDER: [*CONTRACTS], User.WEBHOOKS: [*CONTRACTS]}


def test_captured_changes_are_granted_to_nobody_who_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTRACTS, SHOP_STOCK.topic, SHOP_STOCK)
    assert not [user for user, topics in sent_topics(Settings()).items() if SHOP_STOCK.topic in topics]


def test_a_name_that_the_platform_writes_is_granted_to_nobody() -> None:
    for s in (Settings(alerts_topic="clicks"), Settings(corrections_topic="clicks"), Settings(notify_topic="x")):
        named = {topic for topics in sent_topics(s).values() for topic in topics}
        assert ("clicks" in named) == (s.notify_topic == "x")


def test_with_the_order_service_on_the_shop_sends_what_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (COMMANDS, ANSWERS):
        monkeypatch.setitem(CONTRACTS, one.topic, one)
    may = sent_topics(Settings(options=ORDER_SERVICE))
    faults = Faults(0.02, 0.01, 0.05, 0.01, 20.0)
    run = Run(NOW_MS, NOW_MS + HOUR_MS, 2.0, 1, NOW_MS + 24 * HOUR_MS, faults, asks=True)
    assert {copy.topic for copy in run.records()} == {*may[User.SENDER]}
    assert {*may[User.SENDER]} - {*may[User.WEBHOOKS]} == {"payments"}
    assert not {"orders", ANSWERS.topic} & {*may[User.SENDER]}


def test_who_sends_an_order_beside_its_service_is_told_the_way() -> None:
    assert own_writer(Settings(), "orders", User.SENDER) is None
    said = own_writer(Settings(options=ORDER_SERVICE), "orders", User.SENDER)
    assert said == "only the order service writes the topic 'orders': send a command to 'commands' instead"


def test_the_platform_asks_by_a_command() -> None:
    assert asked(Settings()) == sent_topics(Settings())
