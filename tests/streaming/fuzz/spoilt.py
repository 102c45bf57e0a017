"""Bytes that are spoilt, whatever they encode: cut, flipped, doubled, with something before or behind.

Data flow: value -> one change -> value
Run: pytest tests/streaming/test_fuzz.py
"""

from collections.abc import Callable
from random import Random

BAD_UTF8 = (
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xc0\xaf",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\x80",
    b"\xfe\xff",
)
BEFORE = (b"\xef\xbb\xbf", b"\x00", b" ", b"\xff\xfe", b"\x00\x00\x00\x00\x01", b"\xc3\x01", b",", b"\x1f\x8b", b"\n")
BEHIND = (
    b"\x00",
    b"\x00" * 100,
    b" ",
    b"\n",
    b"}",
    b"]",
    b'"',
    b"{}",
    b",",
    b"null",
    b"\xff",
    b"//",
    b"a",
    b'{"a":1}',
    b" " * 65_536,
)


def cut(chance: Random, value: bytes) -> bytes:
    """Only a part."""
    at = chance.randrange(len(value) + 1)
    return chance.choice((value[:at], value[at:], value[:-1], value[1:]))


def flip(chance: Random, value: bytes) -> bytes:
    """Some bits."""
    found = bytearray(value)
    for _ in range(chance.choice((1, 1, 2, 8)) if found else 0):
        found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
    return bytes(found)


def set_bytes(chance: Random, value: bytes) -> bytes:
    """Some bytes."""
    found = bytearray(value)
    for _ in range(chance.choice((1, 1, 2, 8)) if found else 0):
        found[chance.randrange(len(found))] = chance.choice(
            (0, 1, 2, 3, 127, 128, 129, 254, 255, chance.randrange(256))
        )
    return bytes(found)


def insert(chance: Random, value: bytes) -> bytes:
    """Bytes that are no UTF-8, or any."""
    at = chance.randrange(len(value) + 1)
    return value[:at] + chance.choice((*BAD_UTF8, bytes([chance.randrange(256)]))) + value[at:]


def before(chance: Random, value: bytes) -> bytes:
    """Something before it."""
    return chance.choice(BEFORE) + value


def behind(chance: Random, value: bytes) -> bytes:
    """Something behind it."""
    return value + chance.choice(BEHIND)


def double(chance: Random, value: bytes) -> bytes:
    """The whole, or a part of it, twice."""
    start = chance.randrange(len(value) + 1)
    end = chance.randrange(start, len(value) + 1)
    return chance.choice((value + value, value[:end] + value[start:]))


def in_utf_16(chance: Random, value: bytes) -> bytes:
    """In another character set."""
    return value.decode(errors="replace").encode(
        chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1")), "replace"
    )


CHANGES: tuple[Callable[[Random, bytes], bytes], ...] = (
    cut,
    flip,
    set_bytes,
    insert,
    before,
    behind,
    double,
    in_utf_16,
)
