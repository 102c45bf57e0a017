"""Stored events of every schema version that was ever written, and what a contract no longer reads of them.

Data flow: the shop's examples/<topic>/good/*.json, Contract -> sentences, each with a field's name
Run: pytest tests/streaming/test_evolution.py

A stored event is never edited: a producer may still write such events, and the archive holds them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row, SparkSession

from infra.settings import ROOT
from streaming.contracts.contract import Contract
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

EXAMPLES = ROOT / "streaming" / "shop" / "examples"
ARRIVAL = datetime(2026, 1, 31, 20, 15, 8, tzinfo=UTC)


def stored(topic: str) -> list[bytes]:
    """The values of a topic's good examples."""
    return [file.read_bytes().strip() for file in sorted((EXAMPLES / topic / "good").iterdir())]


def validated(session: SparkSession, contract: Contract, values: Sequence[bytes]) -> list[Row]:
    """The values as records of the contract's topic, validated, in their order."""
    rows = []
    for place, value in enumerate(values):
        key = str(json.loads(value)[contract.key]).encode()
        rows.append((contract.topic, 0, place, ARRIVAL, key, value, None))
    return validate_by(session.createDataFrame(rows, RECORD), (contract,)).orderBy("offset").collect()


def unread(session: SparkSession, contract: Contract, values: Sequence[bytes]) -> list[str]:
    """What the contract does not read of these events as it was written, a sentence each; none if it reads all of it."""
    rows = validated(session, contract, values)
    return [
        found for value, row in zip(values, rows, strict=True) for found in _unread(contract, json.loads(value), row)
    ]


def _unread(contract: Contract, event: dict[str, Any], row: Row) -> Iterator[str]:
    kind, version = event["event_type"], event["schema_version"]
    at = f"{contract.topic}, version {version}, {kind}"
    if version not in contract.versions:
        yield f"{at}: `schema_version` {version} is not known any more"
    if kind not in contract.required:
        yield f"{at}: `event_type` {kind} is not known any more"
    for name in sorted({*contract.required.get(kind, ())} - event.keys()):
        yield f"{at}: `{name}` is required, and such events do not have it"
    decoded = row.asDict(recursive=True)
    found = {name: decoded[name] for name in ("event_id", "event_type", "schema_version")}
    found["event_time"] = row["event_time"] and round(row["event_time"].astimezone(UTC).timestamp() * 1000)
    differences = list(_differences(event, found | (decoded[contract.topic] or {})))
    yield from (f"{at}: {difference}" for difference in differences)
    if row["reasons"] and not differences:
        yield f"{at}: it is rejected now, because of {', '.join(row['reasons'])}"


def _differences(sent: Mapping[str, Any], decoded: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for name, value in sent.items():
        if name not in decoded:
            yield f"`{path}{name}` is not a field any more"
            continue
        found = decoded[name]
        are_lists = isinstance(value, list) and isinstance(found, list) and len(value) == len(found)
        if are_lists and all(isinstance(one, dict) for one in (*value, *found)):
            for one, other in zip(value, found, strict=True):
                yield from _differences(one, other, f"{path}{name}.")
        elif (type(value), value) != (type(found), found):
            yield f"`{path}{name}` is {value!r} and is read as {found!r}"
