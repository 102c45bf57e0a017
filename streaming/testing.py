"""What the tests of a project use: records judged by its contracts, and its views in both layers, in one Spark that stays warm.

Data flow: records or events as dicts -> the functions that stream and night run -> outcomes, rows
Run: daybreak new mine && pytest mine/tests
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType, TimestampType

from infra.jvm import QUICK_JVM
from infra.services.place import link_installed
from infra.session import spark
from infra.settings import settings
from infra.spark_conf import FEW_ROWS
from streaming.arrivals import arrow_schema
from streaming.bronze import RECORD
from streaming.contracts import CONTRACTS
from streaming.project import examples
from streaming.shared_plan import answered
from streaming.silver import EVENT
from streaming.speed import latest_rows
from streaming.update_views import Keeping
from streaming.validate import validate
from streaming.view_state import CLOSES
from streaming.views import VIEWS
from streaming.views.as_of import KNOWN_AT

ARRIVAL = datetime(2026, 1, 31, 20, 15, 8, tzinfo=UTC)
"""When the broker takes a record of a test: example records are of this day."""
KNOWN = StructType([*EVENT.fields, StructField(KNOWN_AT, TimestampType())])
Event = Mapping[str, Any]
"""An event: `topic`, `event_type`, `event_time` (a datetime with a zone), its payload's fields; `event_id` if it matters."""


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


def rows(view: str, events: Iterable[Event]) -> list[dict[str, Any]]:
    """What the view says of these events, as the night computes it, in the order of its key; times are in UTC."""
    own = VIEWS[view]
    found = answered(own, _frame(_events(events))).drop(CLOSES)
    return _plain(found.orderBy(*own.key), [one.name for one in own.columns])


def said(view: str, events: Iterable[Event], batches: int = 3, seed: int = 1) -> list[dict[str, Any]]:
    """What the stream says last, when the same events come in random micro-batches and in any order; as `rows`.

    By the view's law it is what `rows` says: `assert said(view, events) == rows(view, events)`.
    """
    own, chance, keeping = VIEWS[view], random.Random(seed), Keeping(session(), mkdtemp())
    every = _events(events)
    chance.shuffle(every)
    pieces = [every[place::batches] for place in range(batches)]
    log = []
    for number, piece in enumerate(pieces):
        now = keeping.update(_arrow(piece), None, None)[view]
        log.append(now.append_column("batch_id", pa.repeat(pa.scalar(number), now.num_rows)))
    whole = session().createDataFrame(pa.concat_tables(log).combine_chunks()).withColumn("as_of", F.lit(ARRIVAL))
    return _plain(latest_rows(own, whole).orderBy(*own.key), [one.name for one in own.columns])


def _judged(sent: list[tuple[str, bytes | Event]]) -> list[set[str]]:
    records = [
        (topic, 0, place, ARRIVAL, _key(topic, text), text, None)
        for place, (topic, text) in enumerate((topic, _text(value)) for topic, value in sent)
    ]
    found = validate(session().createDataFrame(records, RECORD)).orderBy("offset").collect()
    return [set(row["reasons"]) for row in found]


def _text(value: bytes | Event) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def _key(topic: str, text: bytes) -> bytes:
    """The record's key: what its value says, or some key where it says nothing."""
    try:
        found = json.loads(text).get(CONTRACTS[topic].key)
    except (ValueError, AttributeError):
        found = None
    return b"key" if found is None else str(found).encode()


def _events(events: Iterable[Event]) -> list[dict[str, Any]]:
    def told() -> Iterator[dict[str, Any]]:
        for place, event in enumerate(events):
            contract = CONTRACTS[event["topic"]]
            head = {name: event[name] for name in ("topic", "event_type", "event_time")}
            payload = {name: event[name] for name in contract.payload.fieldNames() if name in event}
            yield {**head, "event_id": event.get("event_id", f"event {place}"), contract.column: payload}

    return list(told())


def _arrow(events: list[dict[str, Any]]) -> pa.Table:
    found = pa.Table.from_pylist(events, schema=arrow_schema(EVENT))
    return found.append_column(KNOWN_AT, found["event_time"])


def _frame(events: list[dict[str, Any]]) -> DataFrame:
    return session().createDataFrame(_arrow(events), KNOWN)


def _plain(found: DataFrame, names: list[str]) -> list[dict[str, Any]]:
    return [
        {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in row.asDict().items()}
        for row in found.select(*names).collect()
    ]
