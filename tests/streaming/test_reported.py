"""Numbers and texts that others have reported (tests/reported.md): each record is judged, and none is silently another one."""

from datetime import UTC, datetime

import pytest
from corpus import KEY, encoded, order
from pyspark.sql import SparkSession

from streaming.shop.contracts.orders import ORDERS
from streaming.shop.contracts.saved_searches import SAVED_SEARCHES
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

NOW_MS = 1_780_000_000_000
PLAIN = encoded(order("plain", NOW_MS))
SAVED = (
    '{"event_id":"7b0c2f7e-1f52-4c39-9a53-8e9f2a6a1c01","event_type":"search_saved","event_time":1780000000000,'
    '"schema_version":1,"search_id":"s-0000000a","customer_id":"c-7","words":"%s"}'
)
# As sent -> its reasons.
CASES = {
    "an exponent in a whole number": (PLAIN.replace(b'"total_cents":2498', b'"total_cents":2.498e3'), {"wrong_type"}),
    "a whole number with a point": (PLAIN.replace(b'"total_cents":2498', b'"total_cents":2498.0'), {"wrong_type"}),
    "a sign before a number": (PLAIN.replace(b'"total_cents":2498', b'"total_cents":+2498'), {"not_json"}),
    "a name twice, once by an escape": (
        PLAIN.replace(b'"customer_id"', b'"customer_\\u0069d":"c-8","customer_id"'),
        {"duplicate_field"},
    ),
    "halves of a character, each in UTF-8": (
        PLAIN.replace(b"c-7", b"\xed\xa0\xbd\xed\xb8\x80"),
        {"invalid_utf8", "bad_format"},
    ),
}
TEXTS = ("ab", "a\\u0000b", "caf\u00e9", "cafe\u0301", "\u2028", "\U0001f375", "\\ud83c\\udf75", "\ufeffab", "a\u200bb")
"""Valid ones. Of these the two forms of one emoji say the same."""


@pytest.mark.slow
def test_records_that_others_have_reported_are_judged(spark: SparkSession) -> None:
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    sent = [("orders", 0, place, arrival, KEY, value, None) for place, (value, _) in enumerate(CASES.values())]
    texts = [(SAVED % text).encode() for text in TEXTS]
    sent += [("saved_searches", 0, place, arrival, b"s-0000000a", text, None) for place, text in enumerate(texts)]
    judge = validate_by(spark.createDataFrame(sent, RECORD), (ORDERS, SAVED_SEARCHES))
    found = judge.orderBy("topic", "offset").collect()
    judged = {name: set(row["reasons"]) for name, row in zip(CASES, found, strict=False)}
    assert judged == {name: reasons for name, (_, reasons) in CASES.items()}
    valid = found[len(CASES) :]
    assert [row["reasons"] for row in valid] == [[]] * len(TEXTS)
    assert len({row["content_hash"] for row in valid}) == len(TEXTS) - 1
