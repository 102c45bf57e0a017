"""What is generated for dbt from a topic: its fields for the macros, and a staging model of its events per layer.

Data flow: Contract -> dbt/macros/topics.sql, stg_silver__<topic>, stg_truth__<topic>
Run: make catalog
"""

from collections.abc import Collection, Iterator

from batch.catalog.text import Column, columns, keyed, macro_file, model, models_file, sql_file
from streaming.contracts.contract import Contract

BEFORE = [
    ("event_id", "The event's id"),
    ("event_type", "What happened"),
    ("event_time", "When it happened, by the producer's clock (UTC)"),
]
ARRIVED: Column = ("arrived_at", "When the broker took the record (UTC)")
PLACE: tuple[Column, ...] = (("partition", "Kafka partition of the record"), ("offset", "Its offset in the partition"))
IS_LATE: Column = ("is_late", "Was the event older than the watermark when it came?")
DAY: Column = ("day", "Day of event_time (UTC)")
ID_IN_SILVER = (
    "The event's id. Unique with event_time: an id that came back with an event_time farther away than the stream "
    "deduplicates has two rows, and the night keeps one in truth"
)


def files(found: Collection[Contract], origin: str) -> Iterator[tuple[str, str]]:
    """Path under dbt/ and text. `origin`: where the contracts lie."""
    fields = {contract.topic: contract.payload.fieldNames() for contract in found}
    yield "macros/topics.sql", macro_file(origin, "every topic's fields", "topics", fields)
    readers = {contract.topic: contract.defaults for contract in found if contract.defaults}
    defaults = {topic: {name: _literal(value) for name, value in known.items()} for topic, known in readers.items()}
    what = "what readers see where an event lacks a field, as SQL"
    yield "macros/topic_defaults.sql", macro_file(origin, what, "topic_defaults", defaults)
    yield "models/staging/topics.yml", models_file(origin, [lines for contract in found for lines in _models(contract)])
    for contract in found:
        for layer in ("silver", "truth"):
            named = f", '{contract.column}'" if contract.column != contract.topic else ""
            call = f"topic_events('{layer}', '{contract.topic}'{named})"
            yield f"models/staging/stg_{layer}__{contract.column}.sql", sql_file(f"{origin}/{contract.topic}", call)


def _literal(value: str | int | bool) -> str:
    return "'" + value.replace("'", r"\'") + "'" if isinstance(value, str) else str(value).lower()


def _models(contract: Contract) -> Iterator[list[str]]:
    fields = columns(contract.payload)
    ours = [*BEFORE, ARRIVED, *PLACE, IS_LATE, DAY]
    if taken := sorted({name for name, _ in ours}.intersection(name for name, _ in fields)):
        raise ValueError(
            f"contract {contract.topic} has fields that are columns of the platform ({', '.join(taken)}): choose other names"
        )
    yield model(
        f"stg_silver__{contract.column}",
        f"{contract.description} The events that the stream accepted.",
        [("event_id", ID_IN_SILVER), *BEFORE[1:], *fields, ARRIVED, *PLACE, IS_LATE, DAY],
        keyed(("event_id", "event_time"), ("event_id",)),
    )
    yield model(
        f"stg_truth__{contract.column}",
        f"{contract.description} The events that the night found in the whole log.",
        [*BEFORE, *fields, ARRIVED, *PLACE, DAY],
        keyed(("event_id",), ("event_id",)),
    )
