"""Protobuf written by hand, so that it can be written oddly, and read by hand, so that another reader judges it.

Data flow: event, fields of a message -> bytes; bytes -> event, if each thing is said once and in the shortest form
Run: pytest tests/streaming/test_fuzz.py
Source: Protocol Buffers, "Encoding".
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from fuzz.avro_bytes import varint
from pyspark.sql.types import ArrayType, DataType, IntegerType, StringType, StructType

BITS_64 = (1 << 64) - 1
Part = tuple[int, int, bytes]
"""Number of the field, wire type, and what follows."""


class NoMessage(Exception):
    """The bytes are none, or not in the one form that is taken."""


def parts(event: Mapping[str, Any], own: StructType, chance: Random | None = None) -> list[Part]:
    """The fields that the event has."""
    found = []
    for number, field in enumerate(own, 1):
        values = event.get(field.name)
        is_list = isinstance(field.dataType, ArrayType)
        kind = field.dataType.elementType if isinstance(field.dataType, ArrayType) else field.dataType
        for value in values or [] if is_list else [] if values is None else [values]:
            found.append((number, *_part(value, kind, chance)))
    return found


def _part(value: Any, kind: DataType, chance: Random | None) -> tuple[int, bytes]:
    if isinstance(kind, StructType):
        inside = written(parts(value, kind, chance), chance)
        return 2, varint(len(inside)) + inside
    if isinstance(kind, StringType):
        text = value.encode(errors="surrogatepass")
        return 2, varint(len(text)) + text
    return 0, varint(value & BITS_64)


def written(own: list[Part], chance: Random | None = None) -> bytes:
    """The fields as bytes; with `chance`, one of them spoilt now and then."""
    if chance and own and chance.random() < 0.5:
        own = _spoilt(list(own), chance)
    return b"".join(varint(number << 3 | kind) + data for number, kind, data in own)


def _spoilt(own: list[Part], chance: Random) -> list[Part]:
    at = chance.randrange(len(own))
    number, kind, data = own[at]
    big = varint(chance.choice((2**31, 2**32 + 1, 2**63, BITS_64, 0xFFFFFFFF, 2**63 - 1, 0, 1, 101)))
    match chance.randrange(10):
        case 0:
            own.insert(chance.randrange(len(own) + 1), own[at])
        case 1:
            chance.shuffle(own)
        case 2:
            del own[at]
        case 3:
            own[at] = number, 0, (big if kind == 0 else varint(7))
        case 4:
            own[at] = chance.choice((0, 15, 99, 19_000, (1 << 29) - 1)), kind, data
        case 5:
            own.append((chance.choice((number, 15)), chance.choice((1, 3, 4, 5, 6, 7)), bytes(8)))
        case 6:
            own[at] = (
                (number, kind, data[:-1] + bytes([data[-1] | 0x80]) + b"\0")
                if kind == 0
                else (number, 2, varint(len(data) * 2) + data)
            )
        case 7:
            own.append((15, 2, b"\x01A"))
        case 8:
            own += chance.choice(([(15, 3, b"")], [(15, 2, b"\x01A")])) * chance.choice((1, 99, 101, 5_000, 20_000))
        case _:
            own[at] = number, 2, varint(3) + chance.choice((b"a\xffb", b"\xed\xa0\x80", b"a\x00b", b"\xef\xbb\xbf"))
    return own


def read(data: bytes, own: StructType) -> dict[str, Any]:
    """A message. Raises NoMessage."""
    found: dict[str, Any] = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if not 0 < (tag >> 3) <= len(own):
            raise NoMessage
        field = own[(tag >> 3) - 1]
        is_list = isinstance(field.dataType, ArrayType)
        kind = field.dataType.elementType if isinstance(field.dataType, ArrayType) else field.dataType
        raw, at = _varint(data, at)
        if tag & 7 != (2 if isinstance(kind, StringType | StructType) else 0):
            raise NoMessage
        if tag & 7 == 2:
            inside, at = data[at : at + raw], at + raw
            if at > len(data):
                raise NoMessage
            value: Any = _text(inside) if isinstance(kind, StringType) else read(inside, kind)  # type: ignore[arg-type]
        else:
            value = raw - (1 << 64) if raw >> 63 else raw
            if isinstance(kind, IntegerType) and not -(1 << 31) <= value < 1 << 31:
                raise NoMessage
        if field.name in found and not is_list:
            raise NoMessage
        found[field.name] = [*found.get(field.name, []), value] if is_list else value
    return found


def _text(inside: bytes) -> str:
    try:
        return inside.decode()
    except UnicodeDecodeError:
        raise NoMessage from None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found, start = 0, at
    while True:
        if at >= len(data) or at - start > 9:
            raise NoMessage
        found |= (data[at] & 0x7F) << 7 * (at - start)
        at += 1
        if data[at - 1] < 0x80:
            break
    if found > BITS_64 or (data[at - 1] == 0 and at - start > 1):
        raise NoMessage
    return found, at
