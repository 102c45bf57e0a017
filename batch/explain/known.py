"""All that the lake knows of one row: what the stream said of it, the truth, what the nights corrected, and its events.

Data flow: speed, truth, reconciliation, silver, gold, each filtered by the row -> Known
Run: daybreak explain order_totals "2026-01-31 12:00"
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from batch.corrections.ledger import CORRECTIONS
from batch.explain.events import Event, columns, events
from batch.explain.key import Values
from batch.explain.lookup import Key, found, of_json
from batch.explain.names import Asked
from batch.explain.needed import needed
from batch.explain.reading import Reading, Row, equal
from batch.reconciliation.differences import DIFFERENCES
from batch.reconciliation.evidence import EVIDENCE
from batch.settlement.decisions import DECISIONS
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.truth.recompute import TRUTH, truth_table
from infra.failures import PermanentFailure
from infra.lake.columns import struct
from infra.lake.tables import Table
from streaming.tables.silver import SILVER
from streaming.tables.speed import speed_table
from streaming.views.view import View


@dataclass(frozen=True)
class Known:
    """Rows of each table, those with a time in its order.

    `generation`: of the stream's checkpoint, in force now. `settlements`: all of the day; `in_force`: is the last one? `of`: what
    the events have in common, in words. `model`: the table of gold with rows like the view's, if there is one; `gold`: its row.
    """

    key: Key
    said: Sequence[Row]
    generation: str | None
    truth: Row | None
    corrections: Sequence[Row]
    settlements: Sequence[Row]
    in_force: bool
    decisions: Sequence[Row]
    difference: Row | None
    events: Sequence[Event]
    of: str
    model: str | None
    gold: Row | None

    @property
    def view(self) -> View:
        """The row's view."""
        return self.key.view

    @property
    def row(self) -> Row | None:
        """What is to be served of the row now: the truth of a settled day, else the stream's last answer; null: no such row."""
        if self.in_force:
            return self.truth
        last = self.said[-1] if self.said else None
        is_there = last and not last["is_removed"] and self.generation in (None, last["generation"])
        return last if is_there else None

    @property
    def status(self) -> str:
        """As gold's column `status` has it."""
        if not self.in_force:
            return "provisional"
        return "corrected" if self.corrections else "settled"


def known(asked: Asked, given: Values, day: date | None) -> Known:
    """Read it all. Raises PermanentFailure if there is no such row, or several, or if the model has other rows than the view."""
    view = asked.view
    gold = Table("gold", asked.model or f"fct_{view.name}", struct())
    speed, truth = speed_table(view), truth_table(view)
    # What is needed later too: opening a table takes longer than reading a part of it.
    ledger = (CORRECTIONS, SETTLEMENTS, PAST_SETTLEMENTS, DECISIONS, DIFFERENCES, EVIDENCE)
    lake = Reading((speed, truth, *ledger, SILVER, TRUTH, gold))
    is_by_row = {*view.key, "day"} <= {*lake.columns(gold)}
    if not asked.is_own and not is_by_row:
        raise PermanentFailure(_of_many(asked, day))
    key = found(lake, view, given, day)
    own = equal(**key.values, day=key.day)
    on_day, of_view = equal(day=key.day), equal(day=key.day, view=view.name)
    of_row = equal(day=key.day, view=view.name, key=key.json)
    said, right, corrections, settled, past, decisions, differences, evidence = lake.rows(
        (speed, None, own),
        (truth, None, own),
        (CORRECTIONS, None, of_row),
        (SETTLEMENTS, None, on_day),
        (PAST_SETTLEMENTS, None, on_day),
        (DECISIONS, None, on_day),
        (DIFFERENCES, None, of_row),
        (EVIDENCE, None, of_view),
    )
    settlements = _in_order(settled, past)
    versions = [*said, *right] or [
        row for one in corrections for text in (one["old"], one["new"]) if (row := of_json(view, one["key"], text))
    ]
    events_of = needed(view, versions)
    silver, night, *served = lake.rows(
        (SILVER, columns(view), events_of.where),
        (TRUTH, columns(view), events_of.where),
        *([(gold, None, own)] if is_by_row else []),
    )
    return Known(
        key,
        sorted(said, key=lambda row: (row["generation"], row["batch_id"], row["as_of"])),
        lake.generation,
        right[0] if right else None,
        sorted(corrections, key=lambda row: row["sequence"]),
        settlements,
        bool(settled),
        sorted(decisions, key=lambda row: row["number"]),
        differences[0] if differences else None,
        events(silver, night, evidence, settlements),
        events_of.says,
        gold.sql if is_by_row else None,
        served[0][0] if served and served[0] else None,
    )


def _in_order(settled: Sequence[Row], past: Sequence[Row]) -> list[Row]:
    """The settlements of a day, one per revision; of one that was withdrawn the row that says so."""
    by: dict[int, dict[str, Any]] = {}
    for row in [*past, *settled]:
        known_as = by.setdefault(row["revision"], {"withdrawn_at": None})
        by[row["revision"]] = row | {"withdrawn_at": row.get("withdrawn_at") or known_as["withdrawn_at"]}
    return [by[number] for number in sorted(by)]


def _of_many(asked: Asked, day: date | None) -> str:
    name = asked.view.name
    on = f" AND day = DATE'{day}'" if day else ""
    return (
        f"a row of gold.{asked.model} is made from many rows of {name}: explain one of these, e.g. of those that were corrected: "
        f"daybreak query \"SELECT day, key, cause FROM {CORRECTIONS.sql} WHERE view = '{name}'{on} ORDER BY day, key\""
    )
