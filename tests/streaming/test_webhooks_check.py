"""What a check says of orders and payments is what the stream says of the same record."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from pyspark.sql import SparkSession

from infra.shop.malformed import MALFORMATIONS
from streaming.contracts.contract import Contract
from streaming.contracts.orders import ORDERS
from streaming.contracts.payments import PAYMENTS
from streaming.webhooks.check import is_valid
from tests.streaming.test_order_contracts import ITEM, NOW, ODD, OWN, PAID, Sent, reasons

ITEMS = {**OWN, "items": [ITEM], "total_cents": 20}
PAYMENT = {name: value for name, value in PAID.items() if name != "customer_id"}
FIELDS: list[tuple[Contract, str, int, dict[str, Any]]] = [
    (ORDERS, "order_placed", 2, {**ITEMS, "channel": "app", "currency": "EUR"}),
    (ORDERS, "items_added", 1, ITEMS),
    (ORDERS, "order_shipped", 2, OWN),
    (ORDERS, "order_cancelled", 1, {**OWN, "reason": "too late"}),
    (PAYMENTS, "payment_captured", 1, PAYMENT),
]
MORE = ("extra", "channel", "currency", "items", "total_cents", "reason", "customer_id")
"""Fields that some of the events lack."""
TIMES = (NOW + 299_999, NOW + 300_001, NOW - 366 * 86_400_000 + 1, NOW - 366 * 86_400_000 - 1)


def spoilt(kind: str, version: int, fields: dict[str, Any]) -> Iterator[Sent]:
    """The event whole, without each field, with each field odd, with times at the borders, and as the shop spoils it."""
    event = {"event_id": str(UUID(int=1)), "event_type": kind, "event_time": NOW, "schema_version": version, **fields}
    key = event["order_id"].encode()
    changes = [{name: odd} for name in (*event, *MORE) for odd in dict.fromkeys(map(json.dumps, (*ODD, "web", 3)))]
    yield key, json.dumps(event).encode()
    yield None, json.dumps(event).encode()
    for name in event:
        yield key, json.dumps({field: value for field, value in event.items() if field != name}).encode()
    for change in changes:
        changed = {**event, **{name: json.loads(odd) for name, odd in change.items()}}
        own = changed["order_id"]
        yield own.encode(errors="replace") if isinstance(own, str) else key, json.dumps(changed).encode()
    for at in TIMES:
        yield key, json.dumps({**event, "event_time": at}).encode()
    whole = json.dumps(event, separators=(",", ":")).encode()
    yield from (way.spoil(key, whole) for way in MALFORMATIONS if way.needs in whole)


@pytest.mark.parametrize("contract", [ORDERS, PAYMENTS], ids=lambda one: one.topic)
def test_a_check_says_what_the_stream_says(spark: SparkSession, contract: Contract) -> None:
    sent = [one for of, *event in FIELDS if of is contract for one in spoilt(*event)]
    found = reasons(spark, contract, sent)
    assert 5 < sum(not one for one in found) < len(found) / 2
    differing = [
        (value and value[-200:], told)
        for (key, value), told in zip(sent, found, strict=True)
        if is_valid(contract.topic, key, value, NOW) == bool(told)
    ]
    assert differing == []
