"""A sample of a day: the records of a few keys, as they arrived, from silver and quarantine.

Data flow: silver/events, silver/quarantine of a day -> keys by a stable hash -> Records in the order of their arrival
Run: daybreak sample --day 2026-01-31 --keys 50 --to tests/day

Topics with the same key field keep the same keys. Where the records of others name a topic's key, it keeps
those keys too. The log's bytes are not asked for: an accepted event is written anew from what silver has of it.
"""

import base64
import hashlib
import heapq
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from infra import strict_json
from infra.lake import arrow_tables
from streaming.contracts.contract import Contract
from streaming.deduplication.deduplicate import ARRIVAL_ORDER
from streaming.golden.masking import Masking
from streaming.golden.record import Record
from streaming.positions.watermark import millis
from streaming.reasons import Reason
from streaming.tables.silver import QUARANTINE, SILVER

EVENT_FIELDS = ("event_id", "event_type", "event_time", "schema_version")
OF_EVENT = (*EVENT_FIELDS, *ARRIVAL_ORDER, "late_by_ms")
OF_REJECTED = (*ARRIVAL_ORDER, "key", "value", "event_id", "reasons")
Row = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """Records in the order of their arrival; `left_out` rejected ones cannot be masked, because they are no JSON object."""

    records: list[Record]
    left_out: int


def sample(day: date, keys: int, contracts: Collection[Contract], masking: Masking) -> Sample:
    """Of each topic the accepted events of `keys` keys, and as many rejected records, those of the same keys first.

    `day` is that of the event time, of rejected records that of the arrival (UTC). Raises PermanentFailure if there is no silver,
    TransientFailure if the store does not answer.
    """
    chosen = _chosen(day, keys, contracts)
    events = {one.topic: _events(day, one, chosen[one.key]) for one in contracts}
    named = {one.key: _named(one.key, contracts, events) - chosen[one.key] for one in contracts}
    for one in contracts:
        if named[one.key]:
            events[one.topic] += _events(day, one, named[one.key])
    found: list[tuple[Row, Record]] = []
    left_out = 0
    for one in contracts:
        own = [(row, _accepted(one, row, masking)) for row in events[one.topic]]
        ids = {row["event_id"] for row, _ in own}
        rejected = [
            (row, _rejected(one, row, masking))
            for row in _refused(day, one, keys, chosen[one.key] | named[one.key], ids)
        ]
        left_out += sum(record is None for _, record in rejected)
        found += own + [(row, record) for row, record in rejected if record is not None]
    in_order = sorted(found, key=lambda one: [one[0][name] for name in ARRIVAL_ORDER])
    return Sample([record for _, record in in_order], left_out)


def _chosen(day: date, keys: int, contracts: Collection[Contract]) -> dict[str, set[str]]:
    """By key field the keys with the smallest hashes."""
    best: dict[str, list[str]] = defaultdict(list)
    for one in contracts:
        for piece in _silver(day, one, [one.column]):
            own = pc.unique(pc.drop_null(_keys(piece, one))).to_pylist()
            best[one.key] = heapq.nsmallest(keys, {*best[one.key], *own}, key=_hash)
    return defaultdict(set, {name: {*some} for name, some in best.items()})


def _named(key: str, contracts: Collection[Contract], events: Mapping[str, list[Row]]) -> set[str]:
    """The keys of a key field that the events of topics with other keys have."""
    others = [one for one in contracts if one.key != key and key in one.payload.fieldNames()]
    found = {row[one.column][key] for one in others for row in events[one.topic]}
    return {str(value) for value in found if value is not None}


def _events(day: date, contract: Contract, keys: Collection[str]) -> list[Row]:
    wanted = pa.array(sorted(keys), pa.string())
    found = []
    for piece in _silver(day, contract, [*OF_EVENT, contract.column]):
        found += piece.filter(pc.is_in(_keys(piece, contract), value_set=wanted)).to_pylist(maps_as_pydicts="strict")
    return found


def _refused(day: date, contract: Contract, most: int, keys: Collection[str], ids: Collection[str]) -> list[Row]:
    """Rejected records: those of the keys first, then by a stable hash of their place. A conflict comes with its event only."""
    best: list[Row] = []
    for piece in arrow_tables.pieces(QUARANTINE, OF_REJECTED, _of(day, contract)):
        rows = piece.to_pylist()
        fit = [row for row in rows if Reason.CONFLICT not in row["reasons"] or row["event_id"] in ids]
        best = heapq.nsmallest(
            most,
            [*best, *fit],
            key=lambda row: (_text(row["key"]) not in keys, _hash(f"{row['partition']} {row['offset']}")),
        )
    return best


def _silver(day: date, contract: Contract, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The topic's events of the day; none if silver has had no event of the topic yet, and so no column of it."""
    if contract.column in pa.schema(arrow_tables.latest(SILVER).schema().to_arrow()).names:
        yield from arrow_tables.pieces(SILVER, columns, _of(day, contract))


def _of(day: date, contract: Contract) -> pc.Expression:
    return (pc.field("day") == day) & (pc.field("topic") == contract.topic)


def _keys(events: pa.Table, contract: Contract) -> pa.ChunkedArray:
    return pc.struct_field(events[contract.column], contract.key).cast(pa.string())


def _accepted(contract: Contract, row: Row, masking: Masking) -> Record:
    head = {name: row[name] for name in EVENT_FIELDS} | {"event_time": millis(row["event_time"])}
    event = masking.event(contract, head | _plain(row[contract.column]))
    return Record(contract.topic, str(event[contract.key]), row["arrival"], row["late_by_ms"], event)


def _rejected(contract: Contract, row: Row, masking: Masking) -> Record | None:
    key, value, arrival = masking.key(contract, _text(row["key"])), row["value"], row["arrival"]
    if contract.masked and value is not None:
        event = _decoded(value) if contract.encoding == "json" else None
        if not isinstance(event, dict):
            return None
        # Escaped: half a surrogate pair stays what it was.
        value = json.dumps(masking.event(contract, event)).encode()
    return Record(contract.topic, key, arrival, None, value)


def _decoded(value: bytes) -> Any:
    try:
        return strict_json.decoded(value)
    except (ValueError, RecursionError):
        return None


def _plain(value: Any) -> Any:
    """As JSON has it: no field that is null."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if isinstance(value, str | int | float | None) else str(value)


def _text(key: bytes | None) -> str | None:
    return None if key is None else key.decode(errors="replace")


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
