"""Valid events of every topic, from which cases are made.

Data flow: contract examples, an hour of the shop, commands and answers, rows of the shop's database -> events by topic
Run: pytest tests/streaming/test_fuzz.py
"""

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any
from uuid import UUID

from infra.settings import ROOT
from infra.shop.faults import Faults
from infra.shop.run import Run
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK

Event = dict[str, Any]
NOW_MS = 1_780_000_000_000
"""The arrival of every case."""
SHOP = tuple(CONTRACTS.values())
ORDER_SERVICE, DATABASE = (COMMANDS, ANSWERS), (SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS)
EXAMPLES = ROOT / "streaming" / "shop" / "examples"
ITEM = {"product_id": "p-1", "quantity": 2, "unit_price_cents": 995}
FIELDS: Event = {
    "customer_id": "c-7", "order_id": "o-00000001", "items": [ITEM], "total_cents": 1990, "payment_id": "pay-00000001",
    "card_id": "card-1", "amount_cents": 1990, "reason": "late", "command_id": str(UUID(int=1)), "number": 1,
    "command": "place_order",
}  # fmt: skip
STAMP = {"changed_at": "2026-05-28T20:26:40.5Z"}
ROWS: dict[str, list[Event]] = {
    SHOP_CUSTOMERS.topic: [{"customer_id": "c-7", "name": "Ada Abel", "region": "north", "note": None, **STAMP}],
    SHOP_PRODUCTS.topic: [
        {"product_id": "p-1", "title": "mug", "brand": "Fj\u00e4ll", "price_cents": 1299, "weight_kg": "0.350",
        "description": "x", **STAMP}
    ],
    SHOP_STOCK.topic: [{"product_id": "p-1", "warehouse": "nord", "on_hand": 5, **STAMP}],
    SHOP_ORDERS.topic: [
        {"order_id": "o-00000001", "customer_id": "c-7", "status": "paid", "lines": 1, "total_cents": 5, "paid_cents": 5,
         "failed_payments": 0, "reason": None, **STAMP},
        {"order_id": "o-00000001", "customer_id": None, "status": "unknown", "lines": None, "total_cents": None,
        "paid_cents": -5,
         "failed_payments": 1, "reason": None, **STAMP},
    ],
}  # fmt: skip


@cache
def events() -> dict[str, list[Event]]:
    """Valid events by topic, of a minute ago, each kind at least once."""
    faults = Faults(duplicates=0, late=0, malformed=0, future=0)
    sent = Run(NOW_MS - 3_600_000, NOW_MS, 0.1, 1, NOW_MS, faults).records()
    found: dict[str, list[Event]] = {one.topic: _examples(one) for one in SHOP}
    for one in sent:
        found[one.topic].append(json.loads(one.value or b""))
    for contract in ORDER_SERVICE:
        found[contract.topic] = [_event(contract, kind) for kind in contract.required]
    return {topic: [one | {"event_time": NOW_MS - 60_000} for one in own] for topic, own in found.items()}


def _examples(contract: Contract) -> list[Event]:
    return [json.loads(file.read_bytes()) for file in sorted((EXAMPLES / contract.topic / "good").iterdir())]


def _event(contract: Contract, kind: str) -> Event:
    own = {name: FIELDS[name] for name in contract.required[kind]}
    if kind == "receive_goods":
        own["customer_id"] = "c-0"
    return {"event_id": str(UUID(int=2)), "event_type": kind, "schema_version": 1, **own}


def change(chance: Random, contract: Contract, number: int) -> Event:
    """A change of a row, as Debezium writes it."""
    op = chance.choice("curd")
    after = chance.choice(ROWS[contract.topic])
    before = {**after, **STAMP} if op in "ud" and chance.random() < 0.8 else None
    if op == "d":
        assert contract.captured is not None
        before, after = {name: after[name] for name in contract.captured.key}, None  # type: ignore[assignment]
    source = {
        "version": "3.7.0.Final",
        "lsn": 1_000 + number,
        "ts_ms": NOW_MS - 60_000,
        "table": contract.topic.rpartition(".")[2],
    }
    return {"before": before, "after": after, "op": op, "source": source, "ts_ms": NOW_MS - 59_000, "transaction": None}


def kinds() -> Iterator[tuple[Contract, str]]:
    """Every topic in every encoding in which its events can be written."""
    yield from ((one, "json") for one in (*SHOP, *ORDER_SERVICE))
    yield from ((one, "debezium") for one in DATABASE)
    yield from ((CONTRACTS[topic], "avro") for topic in ("orders", "payments"))
    yield from ((one, "protobuf") for one in SHOP)
