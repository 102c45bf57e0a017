"""The ways in which a producer spoils a record, each with the name that the ledger gives it.

Data flow: a good event's key and value -> the key and value of a bad copy
Run: daybreak shop --days 1 --malformed 0.01
"""

import re
from collections.abc import Callable
from typing import NamedTuple

Spoilt = tuple[bytes | None, bytes | None]
"""Key and value; a value of None is a tombstone."""


class Malformation(NamedTuple):
    """One way to be wrong: its name, how a copy is spoilt, and what a value must have to be spoilt so."""

    name: str
    spoil: Callable[[bytes, bytes], Spoilt]
    needs: bytes = b""


def _sub(pattern: bytes, by: bytes) -> Callable[[bytes, bytes], Spoilt]:
    compiled = re.compile(pattern)

    def spoil(key: bytes, value: bytes) -> Spoilt:
        spoilt, times = compiled.subn(by, value, count=1)
        assert times, (pattern, value)
        return key, spoilt

    return spoil


ORDER, AMOUNT, BASKET = b'"order_id":"', b'"amount_cents":', b'"items":['
SESSION, QUERY, POSITION = b'"session_id":"', b'"query":"', b'"position":'
PRICE, REGION = b'"price_cents":', b',"region":"'

MALFORMATIONS: tuple[Malformation, ...] = (
    Malformation("truncated", lambda key, value: (key, value[: len(value) // 2])),
    Malformation("text", lambda key, value: (key, b"ERROR could not serialise " + key)),
    Malformation("invalid_utf8", lambda key, value: (key, value.replace(key, key[:-1] + b"\xff"))),
    Malformation("array", lambda key, value: (key, b"[" + value + b"]")),
    Malformation("empty", lambda key, value: (key, b"")),
    Malformation("tombstone", lambda key, value: (key, None)),
    Malformation("oversize", lambda key, value: (key, value + b" " * 70_000)),
    Malformation("missing_time", _sub(rb'"event_time":\d+,', b"")),
    Malformation("missing_order", _sub(rb'"order_id":"[^"]*",', b""), ORDER),
    Malformation("extra_field", _sub(rb"\}$", b',"debug":true}')),
    Malformation("repeated_field", _sub(rb'("schema_version":\d)', rb"\1,\1")),
    Malformation("time_as_text", _sub(rb'"event_time":\d+', b'"event_time":"yesterday"')),
    Malformation("null_order", _sub(rb'"order_id":"[^"]*"', b'"order_id":null'), ORDER),
    Malformation("not_a_uuid", _sub(rb'("event_id":"[^"]*)-', rb"\1_")),
    Malformation("unknown_type", _sub(rb'"event_type":"[a-z]+_', b'"event_type":"basket_')),
    Malformation("unknown_version", _sub(rb'"schema_version":\d', b'"schema_version":99')),
    Malformation("no_key", lambda key, value: (None, value)),
    Malformation("other_key", lambda key, value: (b"o-00000000", value)),
    Malformation("negative_amount", _sub(rb'"amount_cents":', b'"amount_cents":-'), AMOUNT),
    Malformation("amount_as_text", _sub(rb'"amount_cents":(\d+)', rb'"amount_cents":"\1"'), AMOUNT),
    Malformation("wrong_total", _sub(rb'"total_cents":', b'"total_cents":1'), BASKET),
    Malformation("negative_quantity", _sub(rb'"quantity":', b'"quantity":-'), BASKET),
    Malformation("no_items", _sub(rb'"items":\[.*\]', b'"items":[]'), BASKET),
    Malformation("missing_session", _sub(rb'"session_id":"[^"]*",', b""), SESSION),
    Malformation("query_as_number", _sub(rb'"query":"[^"]*"', b'"query":7'), QUERY),
    Malformation("products_as_text", _sub(rb'"product_ids":\[.*\]', b'"product_ids":"p-1"'), QUERY),
    Malformation("position_zero", _sub(rb'"position":\d+', b'"position":0'), POSITION),
    Malformation("price_as_text", _sub(rb'"price_cents":(\d+)', rb'"price_cents":"\1"'), PRICE),
    Malformation("missing_region", _sub(rb',"region":"[^"]*"', b""), REGION),
)
"""They are used in turn, so that a small run shows them all."""

assert len({malformation.name for malformation in MALFORMATIONS}) == len(MALFORMATIONS)
