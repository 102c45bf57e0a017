"""Records that are nearly right: the events of the corpus and of the shop, each written or changed in odd ways by chance.

Data flow: seed, records -> Records whose verdict nobody knows
Run: pytest tests/streaming/test_fast_path.py
"""

import json
import re
from collections.abc import Callable, Iterator
from random import Random

from corpus import Record

SPACES = (b" ", b"\t", b"\n", b"\r", b"\x0b", b"\xc2\xa0", b"\xef\xbb\xbf")
TAILS = (
    b'""', b"12", b'"}', b'""}', b'"" }', b'"a"', b"}", b"{}", b"]", b",", b"null", b' ""\n', b'{"":1}', b'"\\"', b"1}", b'""""}',
)  # fmt: skip
VALUES = (
    b"7", b"1e3", b"1.50", b"-0", b"0", b"true", b"null", b"{}", b"[]", b'{"a":1}', b'{"a":1,"a":2}', b"[1, 2]", b'[""]', b'""',
    b'"\\ud800"', b'"\\udc00 \\ud800"', b'"\\ud83d\\ude00"', b'["\\ud800"]', b'"\\\\ud800"', b'"\\u0041"', b'"\\/"',
    b'"a\\"b"', b'" "',
    "\"\u00e9\u2028\U0001f600\x7f\"".encode(), b"9223372036854775808", b"2147483648", b"01", b"+1", b'{"a":[]}', b"'a'",
    b'"7"', b"[{}]",
)  # fmt: skip
NAMES = (
    b"reason",
    b"order_id",
    b"quantity",
    b"",
    b"_corrupt",
    b"\\u0072eason",
    b"Reason",
    b"total_cents",
    b"card_id",
    b" reason",
    b"product_ids",
    b"words",
)
VALUE = rb'("[^"\\]*"|-?\d+|null)'
Change = Callable[[Random, bytes], bytes]


def mutated(seed: int, records: list[Record], count: int) -> Iterator[Record]:
    """`count` records, each made of one of `records` by one to three changes."""
    rng = Random(seed)
    sources = [record for record in records if record.value and len(record.value) < 2_000]
    for place in range(count):
        source = rng.choice(sources)
        value = source.value or b""
        changes = rng.choices(CHANGES, k=rng.choice((1, 1, 2, 3)))
        for change in changes:
            value = change(rng, value)
        named = "+".join(change.__name__ for change in changes)
        yield source._replace(name=f"{place} {source.name} {named}", value=value, reasons=frozenset())


def _at(value: bytes, pattern: bytes, rng: Random, by: Callable[[re.Match[bytes]], bytes]) -> bytes:
    """One place where the pattern fits is changed."""
    found = list(re.finditer(pattern, value))
    if not found:
        return value
    one = rng.choice(found)
    return value[: one.start()] + by(one) + value[one.end() :]


def flip_a_byte(rng: Random, value: bytes) -> bytes:
    if not value:
        return value
    place = rng.randrange(len(value))
    return value[:place] + bytes([value[place] ^ (1 << rng.randrange(8))]) + value[place + 1 :]


def drop_a_byte(rng: Random, value: bytes) -> bytes:
    place = rng.randrange(len(value) + 1)
    return value[:place] + value[place + 1 :]


def replace_a_value(rng: Random, value: bytes) -> bytes:
    return _at(value, rb":" + VALUE, rng, lambda _: b":" + rng.choice(VALUES))


def quote_a_number(rng: Random, value: bytes) -> bytes:
    return _at(value, rb":(\d+)", rng, lambda found: b':"' + found[1] + b'"')


def bare_a_text(rng: Random, value: bytes) -> bytes:
    return _at(
        value, rb':"[^"\\]*"', rng, lambda _: b":" + rng.choice((b"7", b"1e3", b"12345678", b"true", b"[]", b"{}"))
    )


def double_a_field(rng: Random, value: bytes) -> bytes:
    return _at(value, rb'"\w+":' + VALUE, rng, lambda found: found[0] + b"," + found[0])


def add_a_field(rng: Random, value: bytes) -> bytes:
    added = b'"' + rng.choice(NAMES) + b'":' + rng.choice(VALUES)
    return _at(value, rb"\{|,", rng, lambda found: found[0] + added + b",") if value else value


def drop_a_field(rng: Random, value: bytes) -> bytes:
    return _at(value, rb'"\w+":' + VALUE + rb",", rng, lambda _: b"")


def add_a_tail(rng: Random, value: bytes) -> bytes:
    return value + rng.choice(TAILS)


def bare_a_text_and_add_a_tail(rng: Random, value: bytes) -> bytes:
    """The two that could outweigh each other: quotes that were never written, and quotes that follow."""
    return bare_a_text(rng, value) + rng.choice(TAILS)


def bare_a_text_and_quote_a_name(rng: Random, value: bytes) -> bytes:
    return bare_a_text(rng, value).replace(b"}", rng.choice((b'""}', b',"":""}', b',"":7}', b',""}')), 1)


def add_space(rng: Random, value: bytes) -> bytes:
    place = rng.randrange(len(value) + 1)
    return value[:place] + rng.choice(SPACES) * rng.choice((1, 2)) + value[place:]


def spread(rng: Random, value: bytes) -> bytes:
    return value.replace(b",", rng.choice((b", ", b" ,\n", b",\r\n\t"))).replace(b":", rng.choice((b": ", b":", b" :")))


def escape_a_letter(rng: Random, value: bytes) -> bytes:
    return _at(value, rb"[a-z]", rng, lambda found: b"\\u%04x" % found[0][0])


def add_an_escape(rng: Random, value: bytes) -> bytes:
    escapes = (
        rb"\n",
        rb"\ud800",
        rb"\uDFFF",
        rb"\ud83d\ude00",
        rb"\\",
        rb"\\\ud800",
        rb"\\ud800",
        rb"\"",
        rb"\x",
        rb"\u00",
    )
    return _at(value, rb"[\w ](?=\w*\")", rng, lambda found: found[0] + rng.choice(escapes))


def put_bad_utf8(rng: Random, value: bytes) -> bytes:
    place = rng.randrange(len(value) + 1)
    return (
        value[:place]
        + rng.choice((b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf0\x9f\x98"))
        + value[place:]
    )


def reorder(rng: Random, value: bytes) -> bytes:
    try:
        event = json.loads(value)
    except ValueError:
        return value
    if not isinstance(event, dict):
        return value
    names = rng.sample(list(event), len(event))
    return json.dumps({name: event[name] for name in names}, ensure_ascii=rng.random() < 0.5).encode(errors="replace")


CHANGES: tuple[Change, ...] = (
    flip_a_byte, drop_a_byte, replace_a_value, quote_a_number, bare_a_text, double_a_field, add_a_field, drop_a_field,
    add_a_tail, bare_a_text_and_add_a_tail, bare_a_text_and_quote_a_name, add_space, spread, escape_a_letter,
    add_an_escape, put_bad_utf8, reorder,
)  # fmt: skip
