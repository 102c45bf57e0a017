"""Which records are events of an order: those that the contracts take, and no other."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from infra.kafka.lines import read_key
from infra.settings import ROOT
from infra.shop.followers.follower import Record
from infra.shop.followers.order_events import read
from infra.shop.malformed import MALFORMATIONS, Malformation

EXAMPLES = ROOT / "streaming" / "shop" / "examples"
ARRIVAL_MS = 1769890508000
FILES = sorted(path for topic in ("orders", "payments") for path in (EXAMPLES / topic).rglob("*.json"))
PAYMENT = (
    '{"event_id":"6f1c2b7e-0d53-4c8e-9a44-5b8f5a0d6c14","event_type":"payment_captured","event_time":1769890508000,'
    '"schema_version":1,"payment_id":"pay-0000000000000001","order_id":"o-00000001","card_id":"card-1","amount_cents":100}'
)


def record(topic: str, key: bytes | None, value: bytes | None) -> Record:
    return Record(topic, value, key, ARRIVAL_MS, 7)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(EXAMPLES)))
def test_an_example_of_the_contract_is_taken_if_it_is_good(file: Path) -> None:
    value = file.read_bytes().removesuffix(b"\n")
    key, _ = read_key(value, "order_id")
    found = read(record(file.relative_to(EXAMPLES).parts[0], key or b"o-00000001", value))
    assert (found is not None) == (file.parent.name == "good")


@pytest.mark.parametrize("spoilt", MALFORMATIONS, ids=lambda one: one.name)
def test_what_the_shop_spoils_is_passed_over(spoilt: Malformation) -> None:
    value = PAYMENT.encode()
    if spoilt.needs not in value:
        return
    assert read(record("payments", b"o-00000001", value)) is not None
    assert read(record("payments", *spoilt.spoil(b"o-00000001", value))) is None


@pytest.mark.parametrize(
    "value", [b"\xef\xbb\xbf{}", b"[" * 60_000, b"1" * 60_000, b"NaN", b'{"event_id":1e999}', b"\x00"]
)
def test_no_value_stops_the_reader(value: bytes) -> None:
    assert read(record("orders", b"o-00000001", value)) is None
    assert read(record("payments", b"o-00000001", value)) is None


def test_an_event_says_what_the_row_needs() -> None:
    fields: dict[str, Any] = json.loads((EXAMPLES / "orders/good/order_cancelled.json").read_text())
    fields["reason"] = "too\0slow"
    found = read(record("orders", fields["order_id"].encode(), json.dumps(fields).encode()))
    assert found is not None
    assert found.said == {"customer_id": fields["customer_id"], "reason": "too\ufffdslow"}
    assert found.at == datetime.fromtimestamp(fields["event_time"] / 1000, UTC)
    assert found.key == (found.at, datetime.fromtimestamp(ARRIVAL_MS / 1000, UTC), "orders", 7)
