"""Cases by seed and number: a valid record of some topic and encoding, changed in ways that its format knows, or as bytes.

Data flow: seed, number -> Case
Run: pytest tests/streaming/test_fuzz.py
"""

import json
from collections.abc import Mapping
from random import Random
from typing import Any
from uuid import UUID

from fuzz import avro_bytes, protobuf_bytes, spoilt, written
from fuzz.case import Case
from fuzz.sources import NOW_MS, Event, change, events, kinds

from infra.event_time import AHEAD, OLDEST
from streaming.contracts.contract import Contract
from streaming.encodings import avro_schemas
from streaming.encodings.proto_schemas import fields

KINDS = list(kinds())
MILLISECOND = 1_000
_AHEAD, _OLDEST = round(AHEAD.total_seconds() * MILLISECOND), round(OLDEST.total_seconds() * MILLISECOND)
LAST = 253_402_300_799_999
TIMES = (
    NOW_MS, NOW_MS + _AHEAD, NOW_MS + _AHEAD + 1, NOW_MS - _OLDEST, NOW_MS - _OLDEST - 1, 0, -1, LAST, LAST + 1,
    2**31, 2**63 - 1,
    NOW_MS // 1_000, NOW_MS * 1_000,
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 100, 101, 1_000, 1_001, 10**10, 10**10 + 1, 10**13, 10**13 + 1, 2**31, 2**63 - 1, -(2**63))
UNCHANGED = 0.12


def case(seed: int, number: int) -> Case:
    """The same for the same seed and number."""
    chance = Random(f"{seed} {number}")
    contract, encoding = chance.choice(KINDS)
    how: list[str] = []
    make = {"json": _json, "debezium": _debezium, "avro": _avro, "protobuf": _protobuf}[encoding]
    key, value = make(chance, contract, number, how)
    if how and chance.random() < 0.3:
        by = chance.choice(spoilt.CHANGES)
        how.append(f"{by.__name__} bytes")
        value = by(chance, value)
    if how and chance.random() < 0.08:
        how.append("another key")
        key = chance.choice((None, b"", key + b"\n", key[:-1], b"\xff" + key, key.upper(), b"c-7", b"\x00" * 70_000))
    if how and chance.random() < 0.01:
        return Case(
            f"seed {seed}, number {number}", contract.topic, encoding, "no value", key, chance.choice((None, b""))
        )
    return Case(f"seed {seed}, number {number}", contract.topic, encoding, ", ".join(how) or "unchanged", key, value)


def _event(chance: Random, contract: Contract, number: int) -> Event:
    """A valid event of the topic, mostly with an id of its own."""
    event = dict(chance.choice(events()[contract.topic]))
    if chance.random() < 0.9:
        event["event_id"] = str(UUID(int=number + (1 << 64)))
    return event


def _json(chance: Random, contract: Contract, number: int, how: list[str]) -> tuple[bytes, bytes]:
    event = _event(chance, contract, number)
    if chance.random() < UNCHANGED:
        return str(event[contract.key]).encode(), json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    if chance.random() < 0.05:
        # An event that was sent already, with another content.
        event = chance.choice(events()[contract.topic]) | {"event_time": NOW_MS - 60_000 - number % 3}
        return str(event[contract.key]).encode(), json.dumps(event).encode()
    if chance.random() < 0.1:
        how.append("time")
        event["event_time"] = chance.choice(TIMES)
    if chance.random() < 0.1:
        how.append("version")
        event["schema_version"] = chance.choice((0, 1, 2, 3, -1, 2**31))
    if chance.random() < 0.1:
        how.append("a field of another kind")
        event |= {
            name: value
            for name, value in _event(chance, contract, number).items()
            if chance.random() < 0.5 or name not in event
        }
    own = written.tree(event)
    _changed(chance, own, how)
    return _key(chance, own, contract, event), _bytes(written.text(own, chance if chance.random() < 0.4 else None))


def _changed(chance: Random, own: Any, how: list[str]) -> None:
    for by in chance.choices(written.CHANGES, k=chance.choice((0, 1, 1, 1, 2, 3))):
        if written.places(own):
            how.append(by.__name__)
            by(chance, own)
    how[:] = how or ["written apart"]


def _key(chance: Random, own: Any, contract: Contract, event: Mapping[str, Any]) -> bytes:
    """What the changed event says, mostly."""
    said = {str(name): value for name, value in own.children if not isinstance(value, written.Raw)}.get(contract.key)
    known = said if isinstance(said, str) and chance.random() < 0.9 else event[contract.key]
    return str(known).encode(errors="replace")


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _debezium(chance: Random, contract: Contract, number: int, how: list[str]) -> tuple[bytes, bytes]:
    found = change(chance, contract, number)
    row = found["after"] or found["before"]
    is_changed = chance.random() >= UNCHANGED
    if is_changed and chance.random() < 0.4:
        how.append("row")
        row = found["after" if found["after"] else "before"] = dict(row)
        name = chance.choice([*row])
        if isinstance(row[name], int):
            row[name] = chance.choice(NUMBERS)
        elif not isinstance(said := written.string(chance), written.Raw):
            row[name] = said
    if is_changed and chance.random() < 0.1:
        how.append("source")
        found["source"] = found["source"] | {
            chance.choice(("lsn", "ts_ms")): chance.choice((*TIMES, 2**64, None, "12", 1.5, True, 1e300))
        }
    own = written.tree(found)
    if is_changed and (not how or chance.random() < 0.3):
        _changed(chance, own, how)
    assert contract.captured is not None
    key = {name: row.get(name) for name in contract.captured.key}
    apart = chance if how and chance.random() < 0.2 else None
    return json.dumps(key, ensure_ascii=False, separators=(",", ":")).encode(errors="replace"), _bytes(
        written.text(own, apart)
    )


def _in_binary(chance: Random, contract: Contract, number: int, how: list[str]) -> Event:
    """An event whose values are odd, but of their types."""
    event = _event(chance, contract, number)
    if chance.random() < UNCHANGED:
        return event
    how.append("other forms")
    if chance.random() < 0.5:
        name = chance.choice([*event])
        how.append(name)
        if isinstance(event[name], int):
            bits = 31 if name == "schema_version" else 63
            event[name] = chance.choice([one for one in (*TIMES, *NUMBERS) if -(1 << bits) <= one < 1 << bits])
        elif isinstance(event[name], str):
            odd = written.string(chance)
            event[name] = "\ud800" if isinstance(odd, written.Raw) else odd
        else:
            event[name] = event[name] * chance.choice((0, 2, 51, 101))
    return event


def _avro(chance: Random, contract: Contract, number: int, how: list[str]) -> tuple[bytes, bytes]:
    event = _in_binary(chance, contract, number, how)
    known = avro_schemas.writers(contract.topic)
    version = (
        event["schema_version"]
        if event["schema_version"] in known and chance.random() < 0.9
        else chance.choice([*known])
    )
    mark, _ = known[version]
    schema = json.loads(avro_schemas.texts(contract.topic)[version])
    if how and chance.random() < 0.05:
        mark = chance.choice((bytes(8), mark[::-1], mark[:7]))
    value = b"\xc3\x01" + mark + avro_bytes.written(event, schema, chance if how else None)
    return str(event[contract.key]).encode(errors="replace"), value


def _protobuf(chance: Random, contract: Contract, number: int, how: list[str]) -> tuple[bytes, bytes]:
    event = _in_binary(chance, contract, number, how)
    own = chance if how else None
    value = protobuf_bytes.written(protobuf_bytes.parts(event, fields(contract), own), own)
    return str(event[contract.key]).encode(errors="replace"), value
