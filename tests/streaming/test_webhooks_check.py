"""What a check says of an event is what the stream says of the same record: each reason, for every contract of JSON."""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from corpus import neighbours, poison
from pyspark.sql import SparkSession

from infra.settings import ROOT
from infra.shop.malformed import MALFORMATIONS, Malformation
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.reasons import Reason
from streaming.shop.contracts.order_service import ANSWERS, COMMANDS
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by
from streaming.webhooks.check import Checked, check
from streaming.webhooks.refused import Refused
from streaming.webhooks.request import key_in

EXAMPLES = ROOT / "streaming" / "shop" / "examples"
CHECKED = {one.topic: one for one in (*CONTRACTS.values(), COMMANDS, ANSWERS) if one.encoding == "json"}
NOW = 1_780_000_000_000
DAY = 86_400_000
TIMES = [
    NOW,
    NOW + 300_000,
    NOW + 300_001,
    NOW - 366 * DAY,
    NOW - 366 * DAY - 1,
    0,
    -1,
    253_402_300_799_999,
    253_402_300_800_000,
]
WRITTEN = [
    *map(json.dumps, (None, True, 0, 1, -1, 3, 7, 99, 1000, 1001, 1.0, 1.5, 2**31, 2**63 - 1, 2**63, 10**13 + 1)),
    *map(
        json.dumps,
        ("", "a", "7", "1.0", "web", "EUR", "ab-cd", "a b", "c-7", "p-1", "o-00000001", "c-7\n", "\U0001f600"),
    ),
    *map(
        json.dumps,
        ([], {}, [None], [1], ["p-1"], ["p-1", 7], [[]], [{}], {"a": 1}, {"quantity": 1}, "\\ud800", "é" * 150),
    ),
    *(json.dumps("x" * n) for n in (100, 101, 200, 201, 500, 501)),
    *(json.dumps(["x" * n]) for n in (96, 97, 196, 197, 496, 497)),
    *("-0", "1e3", "-1.5e-7", r'"\ud800"', r'"\udc00\ud83d"', r'"\u0063-7"', '{"a":1,"a":2}', '[{"a":1,"a":1}]'),
    *("9" * 1000, "9" * 1001),
]
"""What may be written in place of a value: of other types, at the borders of rules, odd, doubled, beyond all limits."""
BEYOND = re.compile(rb"[0-9]{1001}|(?:\[|\{\"a\":){500}")
SEED, RANDOM = 38, 120
Said = dict[str, list[tuple[bytes, list[str], Checked]]]
"""Topic -> value, the stream's reasons, the check."""


def examples(contract: Contract) -> list[dict[str, Any]]:
    """Good events of each kind, of now; those of the order service have no file of their own."""
    folder = EXAMPLES / contract.topic / "good"
    if folder.exists():
        found = [json.loads(file.read_bytes()) for file in sorted(folder.iterdir())]
    else:
        found = [of_kind(contract, kind) for kind in contract.required]
    return [event | {"event_time": NOW} for event in found]


VALUES: dict[str, Any] = {
    "customer_id": "c-7",
    "order_id": "o-00000001",
    "items": [{"product_id": "p-1", "quantity": 2, "unit_price_cents": 995}],
    "total_cents": 1990,
    "channel": "app",
    "payment_id": "pay-00000001",
    "card_id": "card-1",
    "amount_cents": 1990,
    "reason": "late",
    "command_id": "6f1c2b7e-0d53-4c8e-9a44-5b8f5a0d6c14",
    "number": 1,
    "command": "place_order",
    "why": "no reason",
}


def of_kind(contract: Contract, kind: str) -> dict[str, Any]:
    envelope = {"event_id": "6f1c2b7e-0d53-4c8e-9a44-5b8f5a0d6c14", "event_type": kind, "schema_version": 1}
    # A command has no field of another kind.
    names = contract.required[kind] if contract is COMMANDS else contract.payload.fieldNames()
    return envelope | {name: VALUES[name] for name in names}


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path to every value inside."""
    for name, inside in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, name)
        yield from places(inside, (*path, name))


class Text(str):
    """JSON as it is to be written."""


def changed(event: Any, path: tuple[Any, ...], by: Any) -> Any:
    found = deepcopy(event)
    node = found
    for step in path[:-1]:
        node = node[step]
    if by is None:
        del node[path[-1]]
    else:
        node[path[-1]] = by
    return found


def text(node: Any) -> str:
    if isinstance(node, Text):
        return str(node)
    if isinstance(node, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{text(inside)}" for name, inside in node.items()) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(text, node)) + "]"
    return json.dumps(node)


def spoilt(contract: Contract) -> Iterator[str]:
    """Good events, and events with one place changed, missing or doubled; then many places of many, by chance."""
    chance = random.Random(f"{SEED} {contract.topic}")
    for event in examples(contract):
        yield text(event)
        yield "  " + json.dumps(event, indent=1) + "\n"
        yield text(event | {"extra": 1})
        yield text(event | {"extra": Text("9" * 1001)})
        yield from (text(event | {"event_time": time}) for time in TIMES)
        yield from (text(event | {"schema_version": version}) for version in range(4))
        for path in places(event):
            yield text(changed(event, path, None))
            yield from (text(changed(event, path, Text(by))) for by in chance.sample(WRITTEN, 5))
            name = json.dumps(path[-1])
            yield text(event).replace(f"{name}:", f"{name}:{chance.choice(WRITTEN)},{name}:", 1)
    for _ in range(RANDOM):
        event = chance.choice(examples(contract))
        for _ in range(chance.randint(2, 4)):
            path = chance.choice([*places(event)] or [("event_id",)])
            event = changed(event, path, chance.choice([None, *(Text(one) for one in WRITTEN)]))
        if chance.random() < 0.3:
            event |= {chance.choice(["extra", *contract.payload.fieldNames()]): Text(chance.choice(WRITTEN))}
        yield text(event)


def sent(contract: Contract) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values that a webhook lets through."""
    whole = [text(event).encode() for event in examples(contract)]
    others = [record for record in (*poison(NOW), *neighbours(NOW)) if record.topic == contract.topic]
    values = [one.encode() for one in spoilt(contract)]
    values += [record.value for record in others if record.value]
    values += [bad for way in MALFORMATIONS for one in whole if (bad := malformed(way, one))]
    for value in values:
        try:
            key, _ = key_in(value, contract)
        except Refused:
            continue
        if len(value) <= 65_536:
            yield key, value


def malformed(way: Malformation, value: bytes) -> bytes | None:
    """As the shop spoils it; None where it does not."""
    try:
        return way.spoil(b"key", value)[1] if way.needs in value else None
    except AssertionError:
        return None


@pytest.fixture(scope="module")
def said(spark: SparkSession) -> Said:
    """Per topic: what was sent, the stream's reasons, the check's."""
    arrival = datetime.fromtimestamp(NOW / 1000, UTC)
    records = [(topic, key, value) for topic, one in CHECKED.items() for key, value in sent(one)]
    rows = [(topic, 0, place, arrival, key, value, None) for place, (topic, key, value) in enumerate(records)]
    found = validate_by(spark.createDataFrame(rows, RECORD), CHECKED.values()).select("offset", "reasons").collect()
    reasons = {row["offset"]: row["reasons"] for row in found}
    told: Said = {topic: [] for topic in CHECKED}
    for place, (topic, key, value) in enumerate(records):
        told[topic].append((value, reasons[place], check(CHECKED[topic], key, value, NOW)))
    return told


@pytest.mark.parametrize("topic", CHECKED)
def test_a_check_gives_the_streams_reasons(said: Said, topic: str) -> None:
    """In its order. Of a text that is beyond the limits of Spark's parser it says that it has not checked it."""
    within = [one for one in said[topic] if not BEYOND.search(one[0])]
    assert [one for one in within if list(one[2].reasons) != one[1] or one[2].not_checked] == []
    beyond = [own for value, _, own in said[topic] if BEYOND.search(value)]
    assert {own.is_valid for own in beyond} == {None}
    good = sum(not stream for _, stream, _ in within)
    assert 5 < good < len(within) / 2


def test_every_reason_that_a_body_can_have_is_found(said: Said) -> None:
    found = Counter(reason for told in said.values() for _, _, own in told for reason in own.reasons)
    # The others are of keys, and of bodies that are refused before.
    before = {Reason.TOMBSTONE, Reason.EMPTY, Reason.OVERSIZE, Reason.INVALID_UTF8, Reason.NOT_AN_OBJECT}
    elsewhere = {Reason.KEY_MISSING, Reason.KEY_MISMATCH, Reason.CONFLICT}
    binary = {
        reason for reason in Reason if re.match("not_avro|not_protobuf|unknown_schema|not_a_change|unavailable", reason)
    }
    assert set(Reason) - set(found) == before | elsewhere | binary
