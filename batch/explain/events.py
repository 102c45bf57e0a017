"""The events that a row may need, each with what the two layers made of it.

Data flow: silver, truth/events, reconciliation/evidence, settlements -> Event per record of the log, in the order of arrival
Run: daybreak explain order_totals "2026-01-31 12:00" --json
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from batch.archive.events import PLACE
from batch.settlement.settlements import ends
from streaming.contracts import CONTRACTS
from streaming.views.view import View

COLUMNS = (
    *("event_id", "event_type", "event_time", *PLACE, "arrival", "key", "schema_version", "definition", "late_by_ms"),
    *("generation", "batch_id"),
)
"""Those of silver; truth has all but the last three. The payloads of a view's inputs come to them."""
Row = Mapping[str, Any]
MicroBatch = tuple[str, int]
"""Generation of the checkpoint, and number: in the order of time."""


@dataclass(frozen=True)
class Event:
    """One event. `late_by_ms`: how far it was behind the watermark; `micro_batch`: the stream's that read it, if it has.

    `cause` and `side` are those of the evidence, null if both layers counted it or no night has compared it; `revision` is the
    first settlement of the day that had it in the archive, null if none has.
    """

    topic: str
    partition: int
    offset: int
    event_id: str
    event_type: str
    happened: datetime
    arrived: datetime
    late_by_ms: int
    key: str | None
    schema_version: int | None
    definition: str | None
    micro_batch: MicroBatch | None
    cause: str | None
    side: str | None
    revision: int | None
    payload: Mapping[str, Any] | None

    @property
    def place(self) -> str:
        """Its place in the log."""
        return f"{self.topic}-{self.partition} at {self.offset}"


def columns(view: View) -> list[str]:
    """The columns to be read of silver and truth."""
    return [*COLUMNS, *dict.fromkeys(CONTRACTS[topic].column for topic in view.inputs)]


def events(
    silver: Sequence[Row], night: Sequence[Row], evidence: Sequence[Row], settlements: Sequence[Row]
) -> list[Event]:
    """All of them. `night`: truth's events; `settlements`: of the day, in the order of their revisions."""
    why: dict[tuple[str, int, int], Row] = {}
    for row in evidence:
        # A record that the layers decoded to other content is taken away and added.
        sides = {row["side"], *str(why.get(_place(row), row)["side"]).split("+")}
        why[_place(row)] = {**row, "side": "+".join(sorted(sides))}
    archived = [(row["revision"], ends(row["offsets"])) for row in settlements]
    rows = {_place(row): row for row in [*night, *silver]}

    def first_in(place: tuple[str, int, int]) -> int | None:
        return next((number for number, to in archived if place[2] < to.get(place[:2], 0)), None)

    found = [_event(row, why.get(place, {}), first_in(place)) for place, row in rows.items()]
    return sorted(found, key=lambda one: (one.arrived, one.topic, one.partition, one.offset))


def _event(row: Row, evidence: Row, revision: int | None) -> Event:
    # Truth does not say how late an event was; what only the night counts may be on time.
    late = row.get("late_by_ms", evidence.get("late_by_ms", 0))
    return Event(
        topic=row["topic"],
        partition=row["partition"],
        offset=row["offset"],
        event_id=row["event_id"],
        event_type=row["event_type"],
        happened=row["event_time"],
        arrived=row["arrival"],
        late_by_ms=late,
        key=row["key"],
        schema_version=row.get("schema_version"),
        definition=row.get("definition"),
        micro_batch=(row["generation"], row["batch_id"]) if row.get("generation") else None,
        cause=evidence.get("cause"),
        side=evidence.get("side"),
        revision=revision,
        payload=row.get(CONTRACTS[row["topic"]].column),
    )


def counted(
    view: View, found: Sequence[Event], after: MicroBatch | None, upto: MicroBatch | None = None
) -> Iterator[Event]:
    """The events that the stream counted in its micro-batches after one, up to another. A late one counts in changelogs only."""
    for one in found:
        is_counted = not one.late_by_ms or one.topic in view.changelogs
        batch = one.micro_batch
        if batch and is_counted and (after is None or batch > after) and (upto is None or batch <= upto):
            yield one


def _place(row: Row) -> tuple[str, int, int]:
    topic, partition, offset = (row[name] for name in PLACE)
    return topic, partition, offset
