"""A small lake of files for `daybreak explain`: a minute of orders and an order with its payment, as both layers wrote them.

Data flow: rows by hand -> the tables of the lake, by the writers' own verbs
Run: pytest tests/batch/explain
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from batch.corrections.ledger import CORRECTIONS
from batch.explain.key import parsed
from batch.explain.known import Known, known
from batch.explain.names import asked
from batch.reconciliation.differences import DIFFERENCES
from batch.reconciliation.evidence import EVIDENCE
from batch.settlement.decisions import DECISIONS
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.truth.recompute import TRUTH, truth_table
from infra.lake import spark_tables
from infra.lake import tables as tables_of_lake
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once
from streaming.shop.views.order_payments import ORDER_PAYMENTS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.silver import SILVER
from streaming.tables.speed import speed_table
from streaming.views.view import View

DAY = date(2026, 1, 31)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
FIRST, SECOND = NOON + timedelta(hours=15), NOON + timedelta(hours=39)
"""The two nights that settle the day."""
LATE_MS = 90_000
GENERATION, DEFINITION = "20260131T000000-0000000a", "00c0ffee0000"
Row = dict[str, Any]


def second(number: float) -> datetime:
    """So many seconds after NOON."""
    return NOON + timedelta(seconds=number)


def event(offset: int, at: datetime, batch: int, late_by_ms: int = 0, **more: Any) -> Row:
    """An order of 100 cents, in silver; with `payments` a payment."""
    topic = "payments" if "payments" in more else "orders"
    kind = "payment_captured" if topic == "payments" else "order_placed"
    return {
        "topic": topic, "partition": 0, "offset": offset, "event_id": f"{topic}-{offset}", "event_type": kind,
        "event_time": at, "arrival": at + timedelta(milliseconds=late_by_ms + 500), "key": f"o-{offset}",
        "schema_version": 1, "day": at.date(), "late_by_ms": late_by_ms, "generation": GENERATION, "batch_id": batch,
        "definition": "of the contract", "orders": {"order_id": f"o-{offset}", "customer_id": "c-1", "total_cents": 100},
    } | ({"orders": None} if topic == "payments" else {}) | more  # fmt: skip


EVENTS = [
    event(0, second(-1), 0),
    event(1, second(0), 1),
    event(2, second(10), 1),
    event(3, second(20), 2),
    event(4, second(30), 3, LATE_MS),
    event(5, second(60), 3),
    event(6, second(45), 9, LATE_MS),
    event(0, second(5), 2, payments={"order_id": "o-1", "payment_id": "p-1", "amount_cents": 60}),
    event(1, second(3), 4, LATE_MS, payments={"order_id": "o-1", "payment_id": "p-0", "amount_cents": 60}),
    event(2, second(3), 4, LATE_MS, payments={"order_id": "o-2", "payment_id": "p-2", "amount_cents": 60}),
    event(3, second(40), 6, payments={"order_id": "o-1"}, event_type="payment_failed"),
    event(4, second(41), 7, LATE_MS, payments={"order_id": "o-1"}, event_type="payment_failed"),
]
"""A minute with three orders on time; one late, that the first night has, and one that only the second has. Around it two of
other minutes. Order o-1 has a payment on time and an earlier one, that is late; and two that failed, and change nothing."""


def minute(orders: int) -> Row:
    """The minute's values with so many orders."""
    return {"window_end": second(60), "orders": orders, "items": 0, "revenue_cents": 100 * orders}


def paid(payment: str | None, at: datetime | None) -> Row:
    """Order o-1's values, paid so."""
    return {
        "customer_id": "c-1", "ordered_at": second(0), "total_cents": 100, "payment_id": payment, "captured_at": at,
        "payment_status": "paid" if payment else "unpaid", "amount_cents": 60 if payment else None, "orders": 1,
        "paid_orders": 1 if payment else 0,
    }  # fmt: skip


def said(view: View, batch: int, values: Row, **more: Any) -> Row:
    """A row of speed, of the micro-batch."""
    key = {"window_start": NOON} if view is ORDER_TOTALS else {"order_id": "o-1"}
    as_of = {"as_of": second(batch), "batch_id": batch, "generation": GENERATION, "definition": DEFINITION}
    return {**key, **values, "day": DAY, **as_of, "is_final": False, "is_removed": False, **more}


def as_json(values: Mapping[str, Any] | None) -> str | None:
    """Values as the ledger has them."""

    def plain(value: Any) -> Any:
        return f"{value:%Y-%m-%dT%H:%M:%S}.000Z" if isinstance(value, datetime) else value

    return None if values is None else json.dumps({name: plain(value) for name, value in values.items()})


MINUTE_KEY, ORDER_KEY = '{"window_start":"2026-01-31T12:00:00.000Z"}', '{"order_id":"o-1"}'


def correction(view: View, revision: int, old: Row | None, new: Row | None, cause: str, number: int) -> Row:
    """A row of the ledger, of the first or the second night."""
    key = MINUTE_KEY if view is ORDER_TOTALS else ORDER_KEY
    at = {1: FIRST, 2: SECOND}[revision]
    run = {"run": f"run-{revision}", "definition": DEFINITION, "revision": revision, "corrected_at": at}
    values = {"old": as_json(old), "new": as_json(new), "cause": cause, "sequence": number}
    return {"day": DAY, "view": view.name, "key": key, **values, **run}


def settlement(revision: int, **ends: int) -> Row:
    """The first or the second night, with so many records of each topic in the archive."""
    offsets = [{"topic": topic, "partition": 0, "to": to} for topic, to in ends.items()]
    at, names = {1: FIRST, 2: SECOND}[revision], [(view.name, DEFINITION) for view in (ORDER_TOTALS, ORDER_PAYMENTS)]
    own = {"day": DAY, "revision": revision, "run": f"run-{revision}", "settled_at": at, "offsets": offsets}
    return {**own, "definitions": names}


def evidence(view: View, found: Row, cause: str) -> Row:
    """A late event, which only the night counted."""
    same = ("event_id", "event_type", "event_time", "topic", "partition", "offset", "arrival", "late_by_ms")
    why = {"day": DAY, "view": view.name, "cause": cause, "side": "add", "run": "run-2"}
    return {name: found[name] for name in same} | why


def decision(number: int, kind: str, by: str | None, run: str, hours: int = 0) -> Row:
    """A request or an answer, some minutes before the first night ended, or hours after that."""
    at = {"decided_at": FIRST + timedelta(hours=hours, minutes=number - 10), "decided_by": by}
    at |= {"note": "I looked" if by else None}
    of = {"view": "order_totals", "measure": "orders", "share": Decimal("0.4000"), "threshold": Decimal("0.2000")}
    return {"day": DAY, "number": number, "decision": kind, "run": run, **of, **at}


LATE = [one for one in EVENTS if one["late_by_ms"]]
LAST = minute(5)


def tables() -> list[tuple[Table, list[Row]]]:
    """All tables with their rows, of a day that was settled twice."""
    totals = [said(ORDER_TOTALS, 1, minute(2)), said(ORDER_TOTALS, 2, minute(3))]
    totals.append(said(ORDER_TOTALS, 5, minute(3), is_final=True))
    orders = [said(ORDER_PAYMENTS, 1, paid(None, None)), said(ORDER_PAYMENTS, 2, paid("p-1", second(5)))]
    stamp = {"definition": DEFINITION, "run": "run-2", "day": DAY}
    return [
        (SILVER, EVENTS),
        (TRUTH, [{**one, "run": "run-2"} for one in EVENTS]),
        (speed_table(ORDER_TOTALS), totals),
        (speed_table(ORDER_PAYMENTS), orders),
        (truth_table(ORDER_TOTALS), [{"window_start": NOON, **LAST, **stamp}]),
        (truth_table(ORDER_PAYMENTS), [{"order_id": "o-1", **paid("p-0", second(3)), **stamp}]),
        (
            CORRECTIONS,
            [
                correction(ORDER_TOTALS, 1, minute(3), minute(4), "late", 1),
                correction(ORDER_PAYMENTS, 1, paid("p-1", second(5)), paid("p-0", second(3)), "partner_late", 2),
                correction(ORDER_TOTALS, 2, minute(4), LAST, "late", 3),
            ],
        ),
        (
            EVIDENCE,
            [
                *[evidence(ORDER_TOTALS, one, "late") for one in LATE if one["topic"] == "orders"],
                *[evidence(ORDER_PAYMENTS, one, "partner_late") for one in LATE if one["topic"] == "payments"],
            ],
        ),
        (SETTLEMENTS, [settlement(2, orders=7, payments=5)]),
        (PAST_SETTLEMENTS, [settlement(1, orders=6, payments=4)]),
        (
            DECISIONS,
            [
                decision(1, "requested", None, "run-1"),
                decision(2, "approved", "ann", "run-1"),
                # Of figures that were no more when the second night settled the day, and needed no approval.
                decision(3, "approved", "bob", "run-9", hours=9),
            ],
        ),
        (DIFFERENCES, []),
    ]


def is_at(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """The lake is this folder."""
    patch.setattr(tables_of_lake, "settings", lambda: SimpleNamespace(lake=f"file:{folder}"))


def row(view: str, *words: str) -> Known:
    """What the lake knows of the row that a command line names."""
    of = asked(view)
    return known(of, parsed(of.view, words), None)


def fill(found: Iterable[tuple[Table, list[Row]]]) -> None:
    """Make the tables with these rows."""
    for table, rows in found:
        # A session is needed to widen a table only.
        spark_tables.create(None, table)  # type: ignore[arg-type]
        append_once(arrow([of_table(one, table) for one in rows], table.schema), table, "test", 1)


def of_table(row: Row, table: Table) -> Row:
    """Without what the table has no column for."""
    return {name: value for name, value in row.items() if name in table.schema.fieldNames()}
