"""The order service and the stream hold a command to the same rules, and the service's answers keep theirs."""

import json
import random
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from order_shop import Shop, commands
from pyspark.sql import SparkSession

from infra.shop.malformed import MALFORMATIONS
from infra.shop.orders.commands import Malformed, read
from streaming.contracts.contract import Contract
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.shop.contracts.orders import ORDERS
from streaming.shop.contracts.payments import PAYMENTS
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

ARRIVAL = datetime(2026, 1, 31, 12, tzinfo=UTC)
NOW = int(ARRIVAL.timestamp() * 1000)
ITEM = {"product_id": "p-1", "quantity": 2, "unit_price_cents": 10}
OWN = {"order_id": "o-00000001", "customer_id": "c-1"}
PAID = {**OWN, "payment_id": "pay-00000001", "card_id": "card-1", "amount_cents": 5}
GOOD: dict[str, dict[str, Any]] = {
    "place_order": {**OWN, "items": [ITEM], "total_cents": 20, "channel": "app"},
    "add_item": {**OWN, "items": [ITEM, ITEM], "total_cents": 40},
    "pay_order": PAID,
    "ship_order": OWN,
    "cancel_order": {**OWN, "reason": "too late"},
    "refund_payment": {**OWN, "payment_id": "pay-00000001", "amount_cents": 5},
    "receive_goods": {"customer_id": "c-0", "items": [ITEM]},
}
ODD = (
    *(None, "", "x", 0, 1, -1, 10**14, 2**63, 1.5, True, [], {}, [None], "c-1\n", "c-x", "o-0", "p-1", "a" * 501, "é" * 500),
    *([ITEM] * 101, [{**ITEM, "quantity": 0}], [{**ITEM, "extra": 1}], [{"product_id": "p-1"}]),
    *([{**ITEM, "unit_price_cents": -1}], "\ud800"),
)  # fmt: skip
TIMES = {"too_old", "future"}
"""What depends on the arrival, which the service decides by later."""
Sent = tuple[bytes | None, bytes | None]


def good(kind: str, number: int = 1) -> dict[str, Any]:
    return {"event_id": str(UUID(int=number)), "event_type": kind, "event_time": NOW, "schema_version": 1, **GOOD[kind]}


def corpus() -> list[Sent]:
    """Each command whole, each field of each replaced by odd values or left out, and the simulator's own malformed copies."""
    found: list[Sent] = []
    for kind in GOOD:
        command = good(kind)
        key = command["customer_id"].encode()
        found.append((key, json.dumps(command).encode()))
        for name in command:
            found.append(
                (key, json.dumps({field: value for field, value in command.items() if field != name}).encode())
            )
            # The key says what the changed customer says, where it can.
            for odd in ODD:
                changed = {**command, name: odd}
                who = changed["customer_id"]
                own = who.encode(errors="replace") if isinstance(who, str) else key
                found.append((own, json.dumps(changed).encode()))
        found.append((key, json.dumps({**command, "debug": True}).encode()))
        # What only other commands have, and the same without a value.
        for name in sorted({name for other in GOOD.values() for name in other} - {*command}):
            others = {**command, name: next(one[name] for one in GOOD.values() if name in one)}
            found += [(key, json.dumps(others).encode()), (key, json.dumps({**command, name: None}).encode())]
        whole = json.dumps(command, separators=(",", ":")).encode()
        # Goods that come in have no total to spoil.
        found += [way.spoil(key, whole) for way in MALFORMATIONS if way.needs in whole and kind != "receive_goods"]
    return found


def reasons(spark: SparkSession, contract: Contract, records: list[Sent]) -> list[list[str]]:
    rows = [(contract.topic, 0, place, ARRIVAL, key, value, None) for place, (key, value) in enumerate(records)]
    found = validate_by(spark.createDataFrame(rows, RECORD), [contract]).select("offset", "reasons").collect()
    return [row["reasons"] for row in sorted(found, key=lambda row: int(row["offset"]))]


def why(key: bytes | None, value: bytes | None) -> str | None:
    try:
        read(key, value)
    except Malformed as wrong:
        return str(wrong)
    return None


def test_service_and_stream_take_the_same_commands(spark: SparkSession) -> None:
    sent = corpus()
    found = reasons(spark, COMMANDS, sent)
    differing = [
        (value and value[-200:], told, said)
        for (key, value), told in zip(sent, found, strict=True)
        if bool({*told} - TIMES) != bool(said := why(key, value))
    ]
    assert differing == [], differing[0]
    assert {len(told) == 0 for told in found} == {True, False}


def test_what_the_service_writes_keeps_the_contracts(spark: SparkSession) -> None:
    shop = Shop()
    commands(random.Random(1), shop, 600)
    for key, value in corpus()[::7]:
        shop.send(value, key)
    for contract in (ANSWERS, ORDERS, PAYMENTS):
        records: list[Sent] = [(one.key, one.value) for one in shop.records if one.topic == contract.topic]
        assert len(records) > 5
        told = reasons(spark, contract, records)
        assert [(value, one) for (_, value), one in zip(records, told, strict=True) if one] == []
