"""Large rows of a captured table: what fits goes on, what was cut is never taken for the row, and every record fits."""

import json
from typing import Any

import pytest

from infra.capture.limits import LONGEST, RECORD_BYTES, TEXTS, is_cut
from infra.capture.topics import topic_configuration
from infra.settings import Settings
from infra.shop.db.changes import folded, read
from infra.shop.db.check import compared
from infra.shop.db.connector import configuration
from infra.shop.db.snapshot import _deletion
from streaming.encodings.as_json import MAX_ROW_BYTES
from streaming.shop.contracts.shop_db import SHOP_CUSTOMERS, SHOP_ORDERS, SHOP_PRODUCTS, SHOP_STOCK

KEY = ("c-1",)


def told(lsn: int, op: str, note: str | None) -> bytes:
    row = {"customer_id": "c-1", "note": note}
    before, after = (row, None) if op == "d" else (None, row)
    return json.dumps({"op": op, "before": before, "after": after, "source": {"lsn": lsn, "ts_ms": 0}}).encode()


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("x" * (LONGEST - 1), False),
        ("x" * LONGEST, True),
        # Two units each, as Java counts.
        ("\U0001f600" * (LONGEST // 2 - 1), False),
        ("\U0001f600" * (LONGEST // 2), True),
        ("x" * (LONGEST - 1) + "\ud83d", True),
        ("\u00e9" * (LONGEST // 2), False),
    ],
)
def test_a_text_that_may_have_been_cut_is_known_by_its_length(text: str, cut: bool) -> None:
    assert is_cut({"customer_id": "c-1", "note": text}) == cut


def test_a_cut_row_is_no_row_until_a_shorter_one_comes() -> None:
    values = [told(8, "c", "old"), told(16, "u", "x" * LONGEST)]
    found = [one for value in values if (one := read("customers", value))]
    assert [one.op for one in found] == ["c", "u"]
    assert folded(found) == {}
    shorter = read("customers", told(24, "u", "x" * 9))
    assert shorter
    assert folded([*found, shorter]) == {KEY: {"customer_id": "c-1", "note": "x" * 9}}


def test_a_row_that_is_set_aside_is_named_and_is_no_difference() -> None:
    there: dict[tuple[str, ...], dict[str, Any]] = {KEY: {"note": "x" * LONGEST}, ("c-2",): {"note": "x"}}
    found = compared("customers", "the log", there, {("c-2",): {"note": "x"}})
    assert (found.is_equal, found.aside) == (True, ("c-1",))
    # An older row in its place is wrong, and so is none where the row is not too large.
    assert compared("customers", "the log", there, {**there, KEY: {"note": "old"}}).differing == 1
    assert compared("customers", "the log", there, {}).differing == 1


def test_every_change_of_cut_texts_fits_into_a_record() -> None:
    text = chr(1) * LONGEST
    row = {f"text {number}": text for number in range(TEXTS)}
    # As JSON escapes it, before and after.
    assert 2 * len(json.dumps(row)) + 100_000 < RECORD_BYTES
    contracts = (SHOP_CUSTOMERS, SHOP_PRODUCTS, SHOP_STOCK, SHOP_ORDERS)
    most = max(sum(field.dataType.simpleString() == "string" for field in one.payload) for one in contracts)
    # A weight is a number.
    assert most - 1 <= TEXTS
    s = Settings()
    assert int(topic_configuration(s)["max.message.bytes"]) == RECORD_BYTES
    found = configuration(s)
    assert found[f"column.truncate.to.{LONGEST}.chars"] == r".*\..*\..*"
    assert int(found["producer.override.max.request.size"]) == RECORD_BYTES
    # The broker takes no request of 100 MiB, and the stream no row that is cut.
    assert MAX_ROW_BYTES < LONGEST < RECORD_BYTES < 100 << 20


def test_a_deletion_that_we_send_beats_no_open_transaction() -> None:
    last = read("customers", told(800, "c", "x"))
    assert last
    key, value = _deletion("customers", last)
    deleted, back = read("customers", value), read("customers", told(808, "c", "back"))
    assert deleted
    assert back
    assert json.loads(key) == {"customer_id": "c-1"}
    assert folded([last, deleted]) == {}
    # Its change is older than the comparison that found the row to be gone, and its commit is younger.
    assert folded([last, deleted, back]) == {KEY: {"customer_id": "c-1", "note": "back"}}
