"""Is everything that was sent accounted for? In plain Python over delta-rs and the ledger: no Spark, none of our views.

Data flow: ledger with payloads, bronze, silver, quarantine, archive -> a list of what does not add up
Run: pytest tests/platform/test_01_accounting.py
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC
from typing import Any

from running import Platform

from infra.kafka.delivery_log import Entry

At = tuple[str, int, int]
"""Topic, partition, offset."""
SHOWN = 5


def unaccounted(platform: Platform, archived: bool = False) -> list[str]:
    """Sentences about records that are lost, doubled, changed, misplaced or made up; none if all is well."""
    sent = {(entry.topic, entry.partition, entry.offset): entry for entry in platform.sent()}
    silver = {where(row): row for row in platform.rows("silver/events")}
    refused = {where(row): row for row in platform.rows("silver/quarantine")}
    return [
        *_as_sent("bronze/events", sent, platform.rows("bronze/events", *RECORD)),
        *(_as_sent("archive/events", sent, platform.rows("archive/events", *RECORD)) if archived else ()),
        *_silver(sent, silver, platform.rows("silver/events", "event_id")),
        *_quarantine(sent, refused, platform.table("silver/quarantine").count()),
        *_places(sent, silver, refused),
        *_counts(platform, len(sent), len(silver), len(refused)),
    ]


RECORD = ("topic", "partition", "offset", "arrival", "key", "value")


def where(row: dict[str, Any]) -> At:
    """A row's place in the log."""
    return row["topic"], row["partition"], row["offset"]


TIGHTENED = "tightened=out_of_range"
"""Kind of a record that a rule refused which was in force when it came: in quarantine for ever, and valid for the night."""


def is_valid(entry: Entry) -> bool:
    """Did the sender mean it as a valid event, and was it one for the stream?"""
    return entry.kind in ("good", "late", "duplicate", "neighbour")


def _as_sent(table: str, sent: dict[At, Entry], rows: list[dict[str, Any]]) -> Iterator[str]:
    """Every acked offset once, with its very bytes, and no other."""
    times = Counter(where(row) for row in rows)
    yield from _some(f"{table}: lost", sent.keys() - times.keys())
    yield from _some(f"{table}: never sent", times.keys() - sent.keys())
    yield from _some(f"{table}: more than once", (at for at, count in times.items() if count > 1))
    changed = (at for row in rows if (at := where(row)) in sent and (row["key"], row["value"]) != _bytes(sent[at]))
    yield from _some(f"{table}: other bytes than sent", changed)


def _silver(sent: dict[At, Entry], silver: dict[At, dict[str, Any]], ids: list[dict[str, Any]]) -> Iterator[str]:
    """Every valid event once, with its payload."""
    times = Counter(row["event_id"] for row in ids)
    wanted = {entry.event_id for entry in sent.values() if is_valid(entry)}
    yield from _some("silver: valid event lost", wanted - times.keys())
    yield from _some("silver: event never sent as valid", times.keys() - wanted)
    yield from _some("silver: event more than once", (event_id for event_id, count in times.items() if count > 1))
    other = (at for at, row in silver.items() if at in sent and decoded(row) != payload(sent[at]))
    yield from _some("silver: other payload than sent", other)


def payload(entry: Entry) -> dict[str, Any]:
    """The JSON object that was sent, fields that are null left out."""
    return {name: value for name, value in json.loads(entry.value or b"{}").items() if value is not None}


def decoded(row: dict[str, Any]) -> dict[str, Any]:
    """A row of silver as the JSON object that was sent, fields that are null left out."""
    event = {name: row[name] for name in ("event_id", "event_type", "schema_version")}
    event["event_time"] = round(row["event_time"].astimezone(UTC).timestamp() * 1000)
    return event | {name: value for name, value in row[row["topic"]].items() if value is not None}


def _quarantine(sent: dict[At, Entry], refused: dict[At, dict[str, Any]], rows: int) -> Iterator[str]:
    """Every malformed record once, with its bytes and reasons."""
    if rows != len(refused):
        yield f"quarantine: {rows} rows for {len(refused)} offsets"
    bad = {at for at, entry in sent.items() if not is_valid(entry)}
    yield from _some("quarantine: malformed record missing", bad - refused.keys())
    yield from _some("quarantine: valid record", refused.keys() - bad)
    for at in bad & refused.keys():
        entry, row = sent[at], refused[at]
        if (row["key"], row["value"]) != _bytes(entry) or not row["reasons"]:
            yield f"quarantine: {entry.kind} at {at} has other bytes or no reason"
        expected = (entry.kind or "").removeprefix("poison:").partition("=")[2]
        if expected and set(row["reasons"]) != set(expected.split("+")):
            yield f"quarantine: {entry.kind} at {at} has reasons {row['reasons']}"


def _places(sent: dict[At, Entry], silver: dict[At, Any], refused: dict[At, Any]) -> Iterator[str]:
    """A record is in silver or in quarantine; in neither only if its event is in silver from another record."""
    yield from _some("both in silver and in quarantine", silver.keys() & refused.keys())
    in_silver = {row["event_id"] for row in silver.values()}
    nowhere = (
        at for at, entry in sent.items() if at not in silver and at not in refused and entry.event_id not in in_silver
    )
    yield from _some("in neither silver nor quarantine", nowhere)


def _counts(platform: Platform, sent: int, silver: int, refused: int) -> Iterator[str]:
    """The stream's own counts add up to the records read."""
    total: Counter[str] = Counter()
    for row in platform.rows("speed/progress", "rows"):
        total.update(row["rows"])
    outcomes = {name: total[name] for name in ("accepted", "duplicate", "conflict", "rejected")}
    if (
        sum(outcomes.values()) != sent
        or outcomes["accepted"] != silver
        or outcomes["rejected"] + outcomes["conflict"] != refused
    ):
        yield f"progress: {outcomes} for {sent} sent, {silver} in silver, {refused} in quarantine"


def _bytes(entry: Entry) -> tuple[bytes | None, bytes | None]:
    return entry.key, entry.value


def _some(what: str, which: Any) -> Iterator[str]:
    found = sorted(which, key=str)
    if found:
        yield f"{what}: {len(found)}, such as {found[:SHOWN]}"
