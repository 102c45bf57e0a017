"""What dbt has of a topic: its fields for the macros, and a staging model of its events in either layer.

Data flow: Contract -> dbt/macros/topics.sql, stg_silver__<topic>, stg_truth__<topic>
Run: make catalog
"""

from collections.abc import Collection, Iterator

from batch.catalog.text import Column, columns, keyed, macro_file, model, models_file, sql_file
from streaming.contracts.contract import Contract

ORIGIN = "streaming/contracts"
BEFORE = [
    ("event_id", "The event's id"),
    ("event_type", "What happened"),
    ("event_time", "When it happened, by the producer's clock (UTC)"),
]
ARRIVED: Column = ("arrived_at", "When the broker took the record (UTC)")
IS_LATE: Column = ("is_late", "Did it come behind the watermark?")
DAY: Column = ("day", "Day of event_time (UTC)")
ID_IN_SILVER = (
    "The event's id; one that came back at another time, farther than the stream looks, is here until the night"
)


def files(found: Collection[Contract]) -> Iterator[tuple[str, str]]:
    """Path under dbt/ and text."""
    fields = {contract.topic: contract.payload.fieldNames() for contract in found}
    yield "macros/topics.sql", macro_file(ORIGIN, "every topic's fields", "topics", fields)
    yield "models/staging/topics.yml", models_file(ORIGIN, [lines for contract in found for lines in _models(contract)])
    for contract in found:
        for layer in ("silver", "truth"):
            call = f"topic_events('{layer}', '{contract.topic}')"
            yield f"models/staging/stg_{layer}__{contract.topic}.sql", sql_file(f"{ORIGIN}/{contract.topic}", call)


def _models(contract: Contract) -> Iterator[list[str]]:
    fields = columns(contract.payload)
    ours = [*BEFORE, ARRIVED, IS_LATE, DAY]
    if taken := sorted({name for name, _ in ours}.intersection(name for name, _ in fields)):
        raise ValueError(
            f"contract {contract.topic}: the platform has columns {', '.join(taken)}: choose other field names"
        )
    yield model(
        f"stg_silver__{contract.topic}",
        f"{contract.description} As the stream has them.",
        [("event_id", ID_IN_SILVER), *BEFORE[1:], *fields, ARRIVED, IS_LATE, DAY],
        keyed(("event_id", "event_time"), ("event_id",)),
    )
    yield model(
        f"stg_truth__{contract.topic}",
        f"{contract.description} As the night found them in the whole log.",
        [*BEFORE, *fields, ARRIVED, DAY],
        keyed(("event_id",), ("event_id",)),
    )
