"""Which topics a webhook may write: never what the platform writes itself."""

import pytest

from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.shop.contracts.shop_db import SHOP_STOCK
from streaming.webhooks import topics
from streaming.webhooks.refused import Refused, Why


def why(s: Settings, topic: str) -> Why | None:
    refused = topics.not_writable(s, topic)
    return refused.why if refused else None


def test_what_others_write_may_be_written() -> None:
    assert topics.writable(Settings()) == [*CONTRACTS]


@pytest.mark.parametrize(
    "topic", ["corrections", "corrections-state", "alerts", "alerts-state", "answers", "order-state"]
)
def test_what_the_platform_writes_may_not(topic: str) -> None:
    assert why(Settings(), topic) is Why.NOT_WRITABLE


def test_renamed_topics_of_the_platform_are_known() -> None:
    s = Settings(corrections_topic="fixes", alerts_topic="alarms")
    assert {why(s, name) for name in ("fixes", "fixes-state", "alarms", "alarms-state")} == {Why.NOT_WRITABLE}
    assert why(s, "corrections") is Why.UNKNOWN_TOPIC


@pytest.mark.parametrize("topic", ["order", "__consumer_offsets", "lab-1", "orders-changelog", "shop.public.stock"])
def test_a_topic_without_a_contract_is_unknown(topic: str) -> None:
    assert why(Settings(), topic) is Why.UNKNOWN_TOPIC


def test_captured_changes_are_the_captures_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONTRACTS, SHOP_STOCK.topic, SHOP_STOCK)
    refused = topics.not_writable(Settings(), SHOP_STOCK.topic)
    assert refused
    assert refused.why is Why.NOT_WRITABLE
    # Not for its encoding: nobody is to send such a change to Kafka either.
    assert "only change capture writes" in refused.what


def test_with_the_order_service_on_orders_have_one_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (COMMANDS, ANSWERS):
        monkeypatch.setitem(CONTRACTS, one.topic, one)
    s = Settings(options="order-service")
    assert {why(s, name) for name in ("orders", "payments", "answers")} == {Why.NOT_WRITABLE}
    assert why(s, "commands") is None


def test_a_sender_writes_its_own_topics_only() -> None:
    assert topics.of(Settings(), "orders", ("orders",), "partner").topic == "orders"
    with pytest.raises(Refused, match="partner may write orders, not 'clicks'") as refused:
        topics.of(Settings(), "clicks", ("orders",), "partner")
    assert refused.value.why is Why.NOT_YOURS
