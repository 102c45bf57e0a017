"""Avro written by hand, so that it can be written oddly, and read by hand, so that another reader judges it.

Data flow: event, schema -> bytes, with numbers and arrays in other forms; bytes -> event, and whether they are in the usual form
Run: pytest tests/streaming/test_fuzz.py
Source: Avro 1.12, "Binary encoding".
"""

from random import Random
from typing import Any


class NoAvro(Exception):
    """The bytes are none."""


def varint(number: int, longer: int = 0) -> bytes:
    """Seven bits a byte, the lowest first; `longer` bytes more than it takes."""
    found = bytearray()
    while True:
        found.append(number & 0x7F | 0x80)
        number >>= 7
        if not number:
            break
    found += b"\x80" * longer
    found[-1] &= 0x7F
    return bytes(found)


def _long(number: int, chance: Random | None) -> bytes:
    zigzag = number << 1 if number >= 0 else (-number << 1) - 1
    return varint(zigzag, chance.choice((1, 2, 8)) if chance and chance.random() < 0.05 else 0)


def written(event: Any, schema: Any, chance: Random | None = None) -> bytes:
    """The value by its schema; with `chance`, in forms that the format allows and others."""
    if isinstance(schema, list):
        at = 0 if event is None else 1
        return _long(at, chance) + (b"" if event is None else written(event, schema[1], chance))
    if schema in ("int", "long"):
        return _long(event, chance)
    if schema == "string":
        text = event.encode(errors="surrogatepass")
        size = (
            len(text)
            if not chance or chance.random() < 0.98
            else chance.choice((-1, -len(text), 2**40, 2**62, len(text) + 1))
        )
        return _long(size, chance) + text
    if schema["type"] == "record":
        return b"".join(
            written(event.get(one["name"], one.get("default")), one["type"], chance) for one in schema["fields"]
        )
    return _array([written(one, schema["items"], chance) for one in event], chance)


def _array(parts: list[bytes], chance: Random | None) -> bytes:
    found = b""
    while parts:
        block, parts = parts, []
        if chance and chance.random() < 0.2:
            at = chance.randrange(1, len(block) + 1)
            block, parts = block[:at], block[at:]
        inside = b"".join(block)
        kind = chance.random() if chance else 1.0
        if kind < 0.2:
            size = len(inside) if chance and chance.random() < 0.8 else 0
            found += _long(-len(block), chance) + _long(size, chance) + inside
        elif kind < 0.23:
            found += _long(2**40, chance) + inside
        else:
            found += _long(len(block), chance) + inside
    return found + _long(0, chance)


class Reader:
    """Reads one value. `is_usual`: each number is as short as it can be, each array in one block without its size."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self.is_usual = data, 0, True

    @property
    def rest(self) -> bytes:
        """What is left."""
        return self._data[self._at :]

    def value(self, schema: Any) -> Any:
        """Raises NoAvro."""
        if isinstance(schema, list):
            at = self._number()
            if not 0 <= at < len(schema):
                raise NoAvro
            return self.value(schema[at])
        if schema == "null":
            return None
        if schema in ("int", "long"):
            return self._number()
        if schema == "string":
            try:
                return self._take(self._number()).decode()
            except UnicodeDecodeError:
                raise NoAvro from None
        if schema["type"] == "record":
            return {one["name"]: self.value(one["type"]) for one in schema["fields"]}
        return self._elements(schema["items"])

    def _elements(self, schema: Any) -> list[Any]:
        found: list[Any] = []
        while count := self._number():
            self.is_usual &= count > 0 and not found
            if count < 0:
                self._number()
            # Each element has a byte at least.
            if abs(count) > len(self._data):
                raise NoAvro
            found += [self.value(schema) for _ in range(abs(count))]
        return found

    def _take(self, size: int) -> bytes:
        if not 0 <= size <= len(self._data) - self._at:
            raise NoAvro
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self) -> int:
        found = shift = 0
        while True:
            (byte,) = self._take(1)
            found |= (byte & 0x7F) << shift
            shift += 7
            # Of more than ten bytes, or 64 bits, some readers take what they can.
            self.is_usual &= shift <= 70
            if byte < 0x80:
                break
            if shift > 700:
                raise NoAvro
        self.is_usual &= byte > 0 or shift == 7
        self.is_usual &= found < 1 << 64
        return (found >> 1) ^ -(found & 1)
