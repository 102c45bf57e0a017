"""Records that must never stop the stream, each named after what is wrong with it; and odd ones that are right.

Data flow: now -> POISON, NEIGHBOURS -> validate (tests/streaming/test_validate.py), the running platform (test_02_poison.py)
Run: pytest tests/streaming/test_validate.py
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import NAMESPACE_DNS, uuid5

HOUR, DAY = 3_600_000, 86_400_000
ORDER = "o-00c0ffee00c0ffee"
KEY = ORDER.encode()


class Record(NamedTuple):
    """What is sent, and the reasons with which it must land in quarantine; none for a valid event."""

    name: str
    topic: str
    key: bytes | None
    value: bytes | None
    reasons: frozenset[str] = frozenset()


def identity(name: str, now_ms: int) -> str:
    """An event_id that no other record of any run has."""
    return str(uuid5(NAMESPACE_DNS, f"{name} {now_ms}"))


def order(name: str, now_ms: int, **changes: Any) -> dict[str, Any]:
    """A valid order that happened a minute ago, with `changes`."""
    return {
        "event_id": identity(name, now_ms),
        "event_type": "order_placed",
        "event_time": now_ms - 60_000,
        "schema_version": 1,
        "order_id": ORDER,
        "customer_id": "c-7",
        "items": [item(), item(product_id="p-2", unit_price_cents=500)],
        "total_cents": 2_498,
    } | changes


def item(**changes: Any) -> dict[str, Any]:
    """A line of a basket: 2 x 999 cents."""
    return {"product_id": "p-1", "quantity": 2 if not changes else 1, "unit_price_cents": 999} | changes


def cancelled(name: str, now_ms: int, reason: Any) -> dict[str, Any]:
    """An order_cancelled with a free text."""
    event = order(name, now_ms, event_type="order_cancelled", reason=reason)
    return without(event, "items", "total_cents")


def payment(name: str, now_ms: int, **changes: Any) -> dict[str, Any]:
    """A valid payment a minute ago, with `changes`."""
    return {
        "event_id": identity(name, now_ms),
        "event_type": "payment_captured",
        "event_time": now_ms - 60_000,
        "schema_version": 1,
        "payment_id": "pay-00c0ffee",
        "order_id": ORDER,
        "card_id": "card-1",
        "amount_cents": 2_498,
    } | changes


def without(event: dict[str, Any], *fields: str) -> dict[str, Any]:
    """The event without some fields."""
    return {name: value for name, value in event.items() if name not in fields}


def encoded(event: object) -> bytes:
    """Compact JSON."""
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()


def poison(now_ms: int) -> list[Record]:
    """Every kind of bad record."""
    return [*_syntax(now_ms), *_orders(now_ms), *_surrogates(now_ms), *_payments(now_ms), *_keys(now_ms)]


def _syntax(now_ms: int) -> Iterator[Record]:
    """Values that are no JSON object at all."""

    def bad(name: str, value: bytes | None, *reasons: str) -> Record:
        return Record(name, "orders", KEY, value, frozenset(reasons))

    def good(name: str) -> bytes:
        return encoded(order(name, now_ms))

    def replaced(name: str, old: bytes, new: bytes) -> bytes:
        assert old in good(name), (name, old)
        return good(name).replace(old, new)

    deep = b"[" * 2_000 + b"]" * 2_000
    yield bad("tombstone", None, "tombstone")
    yield bad("empty", b"", "empty")
    yield bad("blank", b" \t\r\n ", "empty")
    yield bad("only_nul_bytes", b"\x00" * 8, "not_json")
    yield bad("plain_text", b"ERROR could not serialise", "not_json")
    yield bad("xml", b"<order><id>1</id></order>", "not_json")
    yield bad("truncated", good("truncated")[:-40], "not_json")
    yield bad("truncated_by_one_byte", good("truncated_by_one_byte")[:-1], "not_json")
    yield bad("two_objects", good("two_objects") * 2, "not_json")
    yield bad("two_objects_with_a_comma", good("a") + b"," + good("b"), "not_json")
    yield bad("two_lines", good("c") + b"\n" + good("d"), "not_json")
    yield bad("trailing_garbage", good("trailing_garbage") + b" and more", "not_json")
    yield bad("trailing_bracket", good("trailing_bracket") + b"]", "not_json")
    yield bad("trailing_bracket_and_more", good("trailing_bracket_and_more") + b"] drop", "not_json")
    yield bad("trailing_brace", good("trailing_brace") + b"}", "not_json")
    yield bad("leading_comma", b"," + good("leading_comma"), "not_json")
    yield bad("trailing_comma", good("trailing_comma") + b",", "not_json")
    yield bad("trailing_comma_inside", good("trailing_comma_inside")[:-1] + b",}", "not_json")
    yield bad("single_quotes", good("single_quotes").replace(b'"', b"'"), "not_json")
    yield bad("unquoted_names", replaced("unquoted_names", b'"total_cents"', b"total_cents"), "not_json")
    yield bad("comment", replaced("comment", b'"total_cents"', b'/* sum */"total_cents"'), "not_json")
    yield bad("nan", replaced("nan", b":2498", b":NaN"), "not_json")
    yield bad("infinity", replaced("infinity", b":2498", b":-Infinity"), "not_json")
    yield bad("leading_zeros", replaced("leading_zeros", b":2498", b":002498"), "not_json")
    yield bad("byte_order_mark", b"\xef\xbb\xbf" + good("byte_order_mark"), "not_json")
    yield bad("utf_16", good("utf_16").decode().encode("utf-16"), "invalid_utf8", "not_json")
    yield bad("raw_line_feed_in_text", encoded(cancelled("lf", now_ms, "a|b")).replace(b"|", b"\n"), "not_json")
    yield bad("bad_escape", encoded(cancelled("bad_escape", now_ms, "a|b")).replace(b"|", b"\\x"), "not_json")
    yield bad("nested_2000_deep", replaced("nested_2000_deep", b'"c-7"', deep), "not_json")
    yield bad("nested_2000_deep_alone", deep, "not_json")
    yield bad("number_of_2000_digits", replaced("number_of_2000_digits", b":2498", b":" + b"9" * 2_000), "not_json")
    yield bad(
        "invalid_utf8_in_text", encoded(cancelled("u1", now_ms, "a|b")).replace(b"|", b"\xc3\x28"), "invalid_utf8"
    )
    yield bad("overlong_utf8", encoded(cancelled("u2", now_ms, "a|b")).replace(b"|", b"\xc0\xaf"), "invalid_utf8")
    yield bad("array", b"[" + good("array") + b"]", "not_an_object")
    yield bad("array_of_two", b"[" + good("e") + b"," + good("f") + b"]", "not_an_object")
    yield bad("empty_array", b"[]", "not_an_object")
    yield bad("number", b"42", "not_an_object")
    yield bad("text", encoded(good("text").decode()), "not_an_object")
    yield bad("null", b"null", "not_an_object")
    yield bad("true", b"true", "not_an_object")
    yield bad("oversize", good("oversize") + b" " * 65_536, "oversize")
    yield bad(
        "repeated_field", replaced("repeated_field", b'"order_id"', b'"total_cents":1,"order_id"'), "duplicate_field"
    )
    yield bad(
        "repeated_field_in_item", replaced("rfi", b'"quantity":2', b'"quantity":9,"quantity":2'), "duplicate_field"
    )
    same = b'"schema_version":1'
    yield bad("repeated_field_same_value", replaced("same", same, same + b"," + same), "duplicate_field")


def _orders(now_ms: int) -> Iterator[Record]:
    """JSON objects that are no order."""

    def bad(name: str, *reasons: str, drop: tuple[str, ...] = (), key: bytes = KEY, **changes: Any) -> Record:
        value = encoded(without(order(name, now_ms, **changes), *drop))
        return Record(name, "orders", key, value, frozenset(reasons))

    def line(name: str, *reasons: str, total: int = 0, drop: tuple[str, ...] = (), **changes: Any) -> Record:
        return bad(name, *reasons, items=[without(item(**changes), *drop)], total_cents=total)

    yield Record("no_fields", "orders", KEY, b"{}", frozenset({"missing_field"}))
    yield bad("no_event_id", "missing_field", drop=("event_id",))
    yield bad("no_time", "missing_field", drop=("event_time",))
    yield bad("many_missing", "missing_field", drop=("event_time", "customer_id", "total_cents", "schema_version"))
    yield bad("no_items_field", "missing_field", drop=("items",))
    yield bad("null_field", "missing_field", customer_id=None)
    yield bad("null_items", "missing_field", items=None)
    yield bad("null_type", "missing_field", event_type=None)
    yield bad("extra_field", "unknown_field", debug=True)
    yield bad("field_in_other_case", "unknown_field", "missing_field", drop=("total_cents",), Total_Cents=2_498)
    yield bad("payment_in_orders", "unknown_field", "unknown_type", **payment("payment_in_orders", now_ms))
    yield bad("total_as_text", "wrong_type", total_cents="2498")
    yield bad("total_as_decimal", "wrong_type", total_cents=2498.0)
    yield bad("total_as_boolean", "wrong_type", total_cents=True)
    yield bad("total_as_array", "wrong_type", total_cents=[2_498])
    yield bad("total_beyond_64_bit", "wrong_type", total_cents=2**63)
    yield bad("version_as_text", "wrong_type", schema_version="1")
    yield bad("version_beyond_32_bit", "wrong_type", schema_version=2**31)
    yield bad("items_as_object", "wrong_type", items=item())
    yield bad("items_as_text", "wrong_type", items="two apples")
    yield bad("item_as_text", "wrong_type", items=["apple"])
    yield bad("order_id_as_number", "bad_format", "key_mismatch", order_id=12_345_678)
    yield bad("customer_as_object", "bad_format", customer_id={"id": "c-7"})
    yield bad("type_as_number", "unknown_type", event_type=1)
    yield Record(
        "reason_as_object", "orders", KEY, encoded(cancelled("ro", now_ms, {"a": 1})), frozenset({"wrong_type"})
    )
    yield Record("reason_as_number", "orders", KEY, encoded(cancelled("rn", now_ms, 7)), frozenset({"wrong_type"}))
    # As deep as Spark's parser goes; whoever then asks for the whole schema overflows the stack of the process.
    for name, depth in (
        ("reason_nested_deep", b"[" * 998 + b"]" * 998),
        ("reason_nested", b'{"a":' * 900 + b"1" + b"}" * 900),
    ):
        nested = encoded(cancelled(name, now_ms, "?")).replace(b'"?"', depth)
        yield Record(name, "orders", KEY, nested, frozenset({"wrong_type"}))
    doubled = encoded(cancelled("rod", now_ms, "?")).replace(b'"?"', b'{"a":1,"a":2}')
    yield Record("reason_with_doubled_name", "orders", KEY, doubled, frozenset({"wrong_type"}))
    # Decoded as a text, 1.500 gets two quotes, and loses as many zeros.
    long = encoded(cancelled("rlz", now_ms, "?")).replace(b'"?"', b"1.500")
    yield Record("reason_as_number_in_a_long_form", "orders", KEY, long, frozenset({"wrong_type"}))
    # Decoded as a text, 1e3 gets five bytes longer, two of them quotes: as many as the rest has.
    longer = encoded(cancelled("rlf", now_ms, "?")).replace(b'"?"', b'1e3,"":7')
    yield Record("reason_as_number_and_a_field", "orders", KEY, longer, frozenset({"wrong_type", "unknown_field"}))
    tail = encoded(cancelled("rlt", now_ms, "?")).replace(b'"?"}', b'1e3}""aa}')
    yield Record("reason_as_number_and_a_tail", "orders", KEY, tail, frozenset({"not_json", "wrong_type"}))
    yield bad("unknown_type", "unknown_type", event_type="order_eaten")
    yield bad("type_in_other_case", "unknown_type", event_type="Order_Placed")
    yield bad("unknown_version", "unknown_version", schema_version=3)
    yield bad("version_zero", "unknown_version", schema_version=0)
    yield bad("field_of_the_next_version", "unknown_field", channel="app")
    yield bad("default_of_the_next_version", "unknown_field", currency="EUR")
    yield bad("null_of_the_next_version", "unknown_field", channel=None)
    yield bad("field_of_no_version", "unknown_field", schema_version=2, debug=True)
    yield bad("channel_as_number", "wrong_type", "bad_format", schema_version=2, channel=7)
    yield bad("channel_as_boolean", "wrong_type", schema_version=2, channel=True)
    yield bad("channel_as_object", "wrong_type", "bad_format", schema_version=2, channel={"name": "app"})
    yield bad("other_currency", "bad_format", schema_version=2, currency="USD")
    yield bad("not_a_uuid", "bad_format", event_id="42")
    yield bad("uuid_in_upper_case", "bad_format", event_id=identity("upper", now_ms).upper())
    yield bad("uuid_with_line_feed", "bad_format", event_id=identity("lf2", now_ms) + "\n")
    yield bad("customer_with_line_feed", "bad_format", customer_id="c-7\n")
    yield bad("sql_in_customer", "bad_format", customer_id="c-1'; DROP TABLE silver.events; --")
    yield bad("arabic_digits", "bad_format", customer_id="c-\u0661\u0662")
    yield bad("empty_customer", "bad_format", customer_id="")
    yield line("html_in_product", "bad_format", total=999, product_id="<script>alert(1)</script>")
    yield bad("no_items", "out_of_range", items=[], total_cents=0)
    yield bad("101_items", "out_of_range", items=[item()] * 101, total_cents=1_998 * 101)
    yield line("negative_quantity", "out_of_range", "total_mismatch", total=999, quantity=-1)
    yield line("negative_quantity_and_total", "out_of_range", total=-999, quantity=-1)
    yield line("zero_quantity", "out_of_range", quantity=0)
    yield line("huge_quantity", "out_of_range", quantity=2**62, unit_price_cents=4)
    yield line("quantity_as_text", "wrong_type", total=999, quantity="1")
    yield line("quantity_as_boolean", "wrong_type", total=999, quantity=True)
    yield line("fractional_quantity", "wrong_type", total=1_498, quantity=1.5)
    yield line("item_without_price", "missing_field", total=999, drop=("unit_price_cents",))
    yield line("item_with_null_quantity", "missing_field", quantity=None)
    yield line("item_with_extra_field", "unknown_field", total=999, colour="red")
    yield bad("null_item", "missing_field", items=[item(), None], total_cents=1_998)
    yield bad("wrong_total", "total_mismatch", total_cents=2_499)
    yield bad("negative_total", "out_of_range", "total_mismatch", total_cents=-2_498)
    yield bad("total_of_zero", "total_mismatch", total_cents=0)
    yield bad("in_an_hour", "future", event_time=now_ms + HOUR)
    yield bad("in_the_year_2200", "future", event_time=7_258_118_400_000)
    yield bad("400_days_old", "too_old", event_time=now_ms - 400 * DAY)
    yield bad("time_in_seconds", "too_old", event_time=now_ms // 1_000)
    yield bad("time_zero", "too_old", event_time=0)
    yield bad("time_in_microseconds", "out_of_range", event_time=now_ms * 1_000)
    yield bad("time_beyond_year_9999", "out_of_range", event_time=2**63 - 1)
    yield bad("time_before_1970", "out_of_range", event_time=-1)
    yield bad("time_as_text", "wrong_type", event_time=str(now_ms))
    yield bad("time_as_iso_text", "wrong_type", event_time="2026-01-01T00:00:00Z")
    yield bad("time_as_float", "wrong_type", event_time=now_ms / 1_000)
    yield bad(
        "everything_at_once",
        "bad_format",
        "out_of_range",
        "total_mismatch",
        "unknown_version",
        "future",
        "unknown_field",
        "key_mismatch",
        key=b"o-ffffffff",
        event_id="1",
        customer_id="7",
        schema_version=9,
        total_cents=-1,
        event_time=now_ms + HOUR,
        debug=1,
    )


def _surrogates(now_ms: int) -> Iterator[Record]:
    """Half a character, which no text can hold: UTF-8 has no bytes for it, so it would be stored as a question mark."""

    def bad(name: str, reason: bytes, *reasons: str) -> Record:
        value = encoded(cancelled(name, now_ms, "?")).replace(b'"?"', reason)
        return Record(name, "orders", KEY, value, frozenset({"lone_surrogate", *reasons}))

    yield bad("first_half_of_a_pair", rb'"a\ud83d b"')
    yield bad("second_half_of_a_pair", rb'"\uDE00"')
    yield bad("halves_the_wrong_way_round", rb'"\ude00\ud83d"')
    yield bad("half_before_a_pair", rb'"\ud83d\ud83d\ude00"')
    yield bad("half_after_an_escaped_backslash", rb'"\\\\\ud83d"')
    yield bad("half_in_an_array", rb'["\ud800"]', "wrong_type")
    half_id = encoded(order("half_in_an_id", now_ms)).replace(b'"c-7"', rb'"c-7\ud800"')
    yield Record("half_in_an_id", "orders", KEY, half_id, frozenset({"lone_surrogate", "bad_format"}))
    half_name = encoded(order("half_in_a_name", now_ms)).replace(b'"c-7"', rb'"c-7","\ud800":1')
    yield Record("half_in_a_name", "orders", KEY, half_name, frozenset({"lone_surrogate", "unknown_field"}))


def _payments(now_ms: int) -> Iterator[Record]:
    """JSON objects that are no payment."""

    def bad(name: str, *reasons: str, drop: tuple[str, ...] = (), **changes: Any) -> Record:
        value = encoded(without(payment(name, now_ms, **changes), *drop))
        return Record(name, "payments", KEY, value, frozenset(reasons))

    yield bad("payment_without_card", "missing_field", drop=("card_id",))
    yield bad("payment_of_nothing", "out_of_range", amount_cents=0)
    yield bad("negative_payment", "out_of_range", amount_cents=-100)
    yield bad("payment_of_a_billion", "out_of_range", amount_cents=10**10 + 1)
    yield bad("payment_in_words", "wrong_type", amount_cents="ten")
    yield bad("card_number", "bad_format", card_id="4111 1111 1111 1111")
    yield bad("payment_id_in_upper_case", "bad_format", payment_id="PAY-00C0FFEE")
    yield bad("payment_of_unknown_type", "unknown_type", event_type="payment_promised")
    yield bad("payment_with_items", "unknown_field", items=[])
    yield bad("payment_tomorrow", "future", event_time=now_ms + DAY)


def _keys(now_ms: int) -> Iterator[Record]:
    """Valid values under a key that is not theirs."""

    def bad(name: str, key: bytes | None, reason: str) -> Record:
        return Record(name, "orders", key, encoded(order(name, now_ms)), frozenset({reason}))

    yield bad("null_key", None, "key_missing")
    yield bad("empty_key", b"", "key_mismatch")
    yield bad("other_key", b"o-00000000", "key_mismatch")
    yield bad("key_with_line_feed", KEY + b"\n", "key_mismatch")
    yield bad("binary_key", b"\xff\xfe", "key_mismatch")
    yield Record("tombstone_without_key", "payments", None, None, frozenset({"tombstone", "key_missing"}))


def neighbours(now_ms: int) -> list[Record]:
    """Valid events that look odd."""

    def good(name: str, event: dict[str, Any], topic: str = "orders") -> Record:
        return Record(name, topic, KEY, encoded(event))

    def a(name: str, **changes: Any) -> Record:
        return good(name, order(name, now_ms, **changes))

    def written(name: str, reason: bytes) -> bytes:
        return encoded(cancelled(name, now_ms, "?")).replace(b'"?"', reason)

    padded = encoded(order("exactly_64_kib", now_ms))
    many = [item(quantity=1000, unit_price_cents=100_000_000)] * 100
    return [
        a("plain"),
        a("second_version", schema_version=2, channel="app", currency="EUR"),
        a("second_version_without_its_fields", schema_version=2),
        a("second_version_with_null", schema_version=2, channel=None),
        good("plain_payment", payment("plain_payment", now_ms), "payments"),
        good("refund", payment("refund", now_ms, event_type="payment_refunded"), "payments"),
        Record("exactly_64_kib", "orders", KEY, padded + b" " * (65_536 - len(padded))),
        Record("spread_over_lines", "orders", KEY, json.dumps(order("spread_over_lines", now_ms), indent=2).encode()),
        Record("white_space_around", "orders", KEY, b"\r\n\t " + encoded(order("white_space_around", now_ms)) + b" \n"),
        Record("escaped", "orders", KEY, encoded(order("escaped", now_ms)).replace(b'"c-7"', rb'"\u0063-7"')),
        good("fields_in_other_order", dict(reversed(list(order("fields_in_other_order", now_ms).items())))),
        a("null_in_an_optional_field", reason=None),
        a("free_article", items=[item(unit_price_cents=0)], total_cents=0),
        a("largest_order", items=many, total_cents=10**13),
        a("a_year_ago", event_time=now_ms - 365 * DAY),
        a("a_minute_ahead", event_time=now_ms + 60_000),
        good("sql_in_reason", cancelled("sql_in_reason", now_ms, "'); DROP TABLE silver.events; --")),
        good("html_in_reason", cancelled("html_in_reason", now_ms, "<img src=x onerror=alert(1)>")),
        good("json_in_reason", cancelled("json_in_reason", now_ms, '{"a":[1,2],"b":"}"}')),
        good("template_in_reason", cancelled("template_in_reason", now_ms, "{{ 7*7 }} ${jndi:ldap://x} %s %n")),
        good("emoji_in_reason", cancelled("emoji_in_reason", now_ms, "😀 zu spät \u202e ﷽")),
        Record("pair_in_reason", "orders", KEY, written("pair_in_reason", rb'"\ud83d\uDE00"')),
        Record("backslash_in_reason", "orders", KEY, written("backslash_in_reason", rb'"C:\\ud800 \\\\ud800"')),
        good("nul_in_reason", cancelled("nul_in_reason", now_ms, "a\x00b")),
        good("empty_reason", cancelled("empty_reason", now_ms, "")),
        good("reason_null_as_text", cancelled("reason_null_as_text", now_ms, "null")),
        good("long_reason", cancelled("long_reason", now_ms, "x" * 60_000)),
    ]
