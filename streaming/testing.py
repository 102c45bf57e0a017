"""What the tests of a project use: records judged by its contracts, and its views in both layers, in one Spark that stays warm.

Data flow: records or events as dicts -> the functions that stream and night run -> outcomes, rows
Run: daybreak new mine && pytest mine/tests
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from infra.jvm import QUICK_JVM
from infra.services.place import link_installed
from infra.session import spark
from infra.settings import settings
from infra.spark_conf import FEW_ROWS
from streaming.contracts import CONTRACTS
from streaming.golden.both_layers import LATE, MicroBatch, Row, known, of_night, of_stream
from streaming.golden.day import GoldenDay
from streaming.project import examples
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate
from streaming.views import VIEWS

ARRIVAL = datetime(2026, 1, 31, 20, 15, 8, tzinfo=UTC)
"""When the broker takes a record of a test: example records are of this day."""
Event = Mapping[str, Any]
"""An event of `rows` and `said`: `topic`, `event_type`, `event_time` (a datetime with a zone), its payload's fields; `event_id`
if it matters. For `reasons` a whole record: with the envelope's other fields, without `topic`; a datetime is its milliseconds."""


@cache
def session() -> SparkSession:
    """Spark with the platform's settings, in this process. The first use takes ten seconds, the others none."""
    s = settings()
    s.home.mkdir(parents=True, exist_ok=True)
    link_installed(s)
    return spark("tests", "1g", "night_memory", QUICK_JVM, FEW_ROWS)


def reasons(topic: str, value: bytes | Event) -> set[str]:
    """Why a record is rejected, as names of `streaming.reasons`; empty if it is an event. Raises KeyError for another topic."""
    return _judged([(topic, value)])[0]


def examples_that_lie() -> list[str]:
    """The project's examples that are not what their names say, a sentence each: `<topic>/good/<event type>.json` is an event,
    `<topic>/bad/<reason>.json` is rejected for this reason and no other. Raises KeyError for a folder that is no topic's.
    """
    files = sorted(examples().glob("*/*/*.json"))
    found = _judged([(file.parts[-3], file.read_bytes().removesuffix(b"\n")) for file in files]) if files else []
    said = []
    for file, why in zip(files, found, strict=True):
        expected = set() if file.parent.name == "good" else {file.name.partition(".")[0]}
        if why != expected:
            said.append(f"{file}: {', '.join(sorted(why)) or 'it is valid'}")
    missing = (one for one in CONTRACTS if not (examples() / one / "good").is_dir())
    return said + [f"the topic {topic} has no good example" for topic in missing]


def rows(view: str, events: Iterable[Event]) -> list[Row]:
    """What the view says of these events, as the night computes it, in the order of its key; times are in UTC."""
    return of_night(session(), VIEWS[view], known(_events(events)))


def said(view: str, events: Iterable[Event], batches: int = 3, seed: int = 1) -> list[Row]:
    """What the stream says last, when the same events come in random micro-batches and in any order; as `rows`.

    By the view's law it is what `rows` says: `assert said(view, events) == rows(view, events)`.
    """
    own, every = VIEWS[view], known(_events(events))
    places = list(range(every.num_rows))
    random.Random(seed).shuffle(places)
    pieces = [MicroBatch(every.take(pa.array(places[place::batches], pa.int64()))) for place in range(batches)]
    return of_stream(session(), [own], pieces)[view]


def golden_day(folder: Path | str) -> GoldenDay:
    """A day of real records (`daybreak sample --to FOLDER`): `assert golden_day(FOLDER).faults() == []`."""
    return GoldenDay(folder, session())


def _judged(sent: list[tuple[str, bytes | Event]]) -> list[set[str]]:
    records = [
        (topic, 0, place, ARRIVAL, _key(topic, text), text, None)
        for place, (topic, text) in enumerate((topic, _text(value)) for topic, value in sent)
    ]
    found = validate(session().createDataFrame(records, RECORD)).orderBy("offset").collect()
    return [set(row["reasons"]) for row in found]


def _text(value: bytes | Event) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value, default=_millis).encode()


def _millis(value: Any) -> int:
    """A time as records have it. Raises TypeError for what no record can have."""
    if not isinstance(value, datetime):
        raise TypeError(f"a record is JSON, and {value!r} is of type {type(value).__name__}: give the record as bytes")
    if value.tzinfo is None:
        raise TypeError(f"the time {value} has no zone: give it one, e.g. tzinfo=UTC")
    return round(value.timestamp() * 1000)


def _key(topic: str, text: bytes) -> bytes:
    """The record's key: what its value says, or some key where it says nothing."""
    try:
        found = json.loads(text).get(CONTRACTS[topic].key)
    except (ValueError, AttributeError):
        found = None
    return b"key" if found is None else str(found).encode()


def _events(events: Iterable[Event]) -> pa.Table:
    def told() -> Iterator[dict[str, Any]]:
        for place, event in enumerate(events):
            contract = CONTRACTS[event["topic"]]
            head = {name: event[name] for name in ("topic", "event_type", "event_time")}
            payload = {name: event[name] for name in contract.payload.fieldNames() if name in event}
            own = {"event_id": event.get("event_id", f"event {place}"), "late_by_ms": 0}
            yield {**head, **own, contract.column: payload}

    return pa.Table.from_pylist(list(told()), schema=LATE)
