"""What a record is, by readers and rules that share nothing with the platform's: an event that its contract allows, or none.

Data flow: Case -> Verdict
Run: pytest tests/streaming/test_fuzz.py
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from fuzz import protobuf_bytes
from fuzz.avro_bytes import NoAvro, Reader
from fuzz.case import Case
from fuzz.cases import _AHEAD, _OLDEST, LAST
from fuzz.declared import ALLOWED, OF_ANOTHER_KIND, UUID, has_right_total
from fuzz.protobuf_bytes import NoMessage
from fuzz.sources import DATABASE, NOW_MS, ORDER_SERVICE, SHOP
from pyspark.sql.types import ArrayType, DataType, IntegerType, LongType, StringType, StructType

from streaming.contracts.contract import ENVELOPE, Contract
from streaming.encodings import avro_schemas
from streaming.encodings.proto_schemas import fields

BY_TOPIC = {one.topic: one for one in (*SHOP, *ORDER_SERVICE, *DATABASE)}
HEAD = ENVELOPE.fieldNames()
MAX_BYTES = 65_536
PLACEHOLDER = "__debezium_unavailable_value"


class Bad(Exception):
    """The record is no event of its topic; the text says why."""


class Unsure(Bad):
    """It may be one: readers differ."""


@dataclass(frozen=True)
class Verdict:
    """`event` is what a valid record says, without nulls. `is_sure` is false where no rule says which it is."""

    event: Mapping[str, Any] | None
    why: str = ""
    is_sure: bool = True


def judged(case: Case) -> Verdict:
    """The verdict on a case."""
    contract = BY_TOPIC[case.topic]
    try:
        event, is_sure = _read(case, contract)
        # In JSON a name that the contract lacks is refused even with null; Avro writes all of its schema's names.
        names = {name for name, value in event.items() if value is not None or case.encoding == "json"}
        event = {name: value for name, value in event.items() if value is not None}
        _check(contract, event, names)
        if contract.captured:
            is_sure &= _captured_key(case, contract, event)
        elif case.key != event[contract.key].encode():
            raise Bad("key")
    except Bad as bad:
        return Verdict(None, str(bad), is_sure=not isinstance(bad, Unsure))
    return Verdict(event, is_sure=is_sure)


def _read(case: Case, contract: Contract) -> tuple[Mapping[str, Any], bool]:
    if not case.value:
        raise Bad("nothing")
    if case.encoding == "debezium":
        # Half a character where nobody looks is no fault of the row.
        change = _json(case.value, halves=True)
        return _change(change, contract), not _has_half(change)
    if len(case.value) > MAX_BYTES:
        raise Bad("too long")
    if case.encoding == "avro":
        return _avro(case.topic, case.value)
    if case.encoding == "protobuf":
        try:
            return protobuf_bytes.read(case.value, fields(contract)), True
        except NoMessage:
            raise Bad("no message") from None
    return _json(case.value), True


def _json(value: bytes, halves: bool = False) -> Any:
    """An object of JSON (RFC 8259) in UTF-8 that has each name once, and no half of a character but with `halves`."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) != len(dict(pairs)):
            raise Bad("a name twice")
        return dict(pairs)

    def constant(text: str) -> Any:
        raise Bad(text)

    try:
        found = json.loads(value.decode(), object_pairs_hook=once, parse_constant=constant)
    except (ValueError, RecursionError) as wrong:
        raise Bad(f"no JSON: {type(wrong).__name__}") from None
    if not isinstance(found, dict):
        raise Bad("no object")
    if not halves and _has_half(found):
        raise Bad("half a character")
    return found


def _has_half(found: Any) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _avro(topic: str, value: bytes) -> tuple[Mapping[str, Any], bool]:
    schema = {b"\xc3\x01" + mark: version for version, (mark, _) in avro_schemas.writers(topic).items()}.get(value[:10])
    if schema is None:
        raise Bad("no schema")
    reader = Reader(value[10:])
    try:
        found = reader.value(json.loads(avro_schemas.texts(topic)[schema]))
    except NoAvro:
        raise (Bad if reader.is_usual else Unsure)("no Avro") from None
    if reader.rest:
        raise Bad("more behind it")
    return found, reader.is_usual


def _change(change: Mapping[str, Any], contract: Contract) -> Mapping[str, Any]:
    """The event of a change: of a row's columns those that the contract names, of a deletion the key."""
    assert contract.captured is not None
    op, source = change.get("op"), change.get("source")
    row = change.get("before" if op == "d" else "after")
    if not all(change.get(name) is None or isinstance(change[name], dict) for name in ("before", "after")):
        raise Bad("no rows")
    if op not in ("c", "u", "d", "r") or not isinstance(row, dict) or not isinstance(source, dict):
        raise Bad("no change")
    if not all(_is_whole(source.get(name), LongType()) for name in ("lsn", "ts_ms")) or source["lsn"] < 0:
        raise Bad("no place or time")
    if op != "d" and PLACEHOLDER in row.values():
        raise Bad("not whole")
    known = contract.captured.key if op == "d" else contract.payload.fieldNames()
    time = source["ts_ms"]
    is_believable = 0 <= time <= LAST and NOW_MS - _OLDEST <= time <= NOW_MS + _AHEAD
    identity = json.dumps(
        [contract.topic, op, source["lsn"], change.get("before"), change.get("after")], sort_keys=True
    )
    return {
        "event_id": identity,
        "event_type": contract.captured.types["c" if op == "r" else op],
        "event_time": time if is_believable else NOW_MS,
        "schema_version": 1,
        **{name: row.get(name) for name in known},
    }


@cache
def _fields(topic: str, version: int) -> Mapping[str, DataType]:
    contract = BY_TOPIC[topic]
    return {field.name: field.dataType for field in contract.at(min(version, contract.newest)).schema}


def _check(contract: Contract, event: Mapping[str, Any], names: Collection[str]) -> None:
    """Raises Bad unless the contract allows the event."""
    version = event.get("schema_version")
    if not _is_whole(version, IntegerType()) or version not in contract.versions:
        raise Bad("version")
    known = _fields(contract.topic, version)
    if unknown := {*names} - known.keys():
        raise Bad(f"unknown {sorted(unknown)}")
    if unknown := event.keys() & OF_ANOTHER_KIND.get(str(event.get("event_type")), frozenset()):
        raise Bad(f"of another kind {sorted(unknown)}")
    for name, value in event.items():
        if not _is_of(value, known[name]):
            raise Bad(f"type of {name}")
        if name not in HEAD and not ALLOWED[contract.topic][name](value):
            raise Bad(name)
    if missing := {*HEAD, *contract.required.get(str(event.get("event_type")), ())} - event.keys():
        raise Bad(f"lacks {sorted(missing)}")
    if str(event["event_type"]) not in contract.required or not (contract.captured or UUID(event["event_id"])):
        raise Bad("kind or id")
    if not NOW_MS - _OLDEST <= event["event_time"] <= NOW_MS + _AHEAD:
        raise Bad("time")
    if "items" in known and not has_right_total(event):
        raise Bad("total")


def _is_of(value: Any, kind: DataType) -> bool:
    match kind:
        case StringType():
            return isinstance(value, str)
        case ArrayType():
            return isinstance(value, list) and all(one is None or _is_of(one, kind.elementType) for one in value)
        case StructType():
            types = {field.name: field.dataType for field in kind}
            return isinstance(value, dict) and all(
                one is None or (name in types and _is_of(one, types[name])) for name, one in value.items()
            )
    return _is_whole(value, kind)


def _is_whole(value: Any, kind: DataType) -> bool:
    bits = 31 if isinstance(kind, IntegerType) else 63
    return isinstance(value, int) and not isinstance(value, bool) and -(1 << bits) <= value < 1 << bits


def _captured_key(case: Case, contract: Contract, event: Mapping[str, Any]) -> bool:
    """Raises Bad if the key says another; not sure if it says the same in another form."""
    assert contract.captured is not None
    own = {name: event.get(name) for name in contract.captured.key}
    try:
        said = json.loads((case.key or b"").decode())
    except ValueError:
        raise Bad("key") from None
    if said != own:
        raise Bad("key")
    plain = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
    return case.key == plain.encode() and plain.isprintable() and "\\" not in plain
