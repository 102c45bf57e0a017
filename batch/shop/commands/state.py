"""The command `state`: an order at any time, rebuilt from its events, with the event behind each change.

Data flow: events of the order -> its history, line by line -> a table, and what the night and gold have of it
Run: daybreak state --order o-0123abcd --at 2026-01-31T12:00
"""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from batch.shop.order_history import Known, Line, history, known
from batch.shop.order_in_gold import Change, difference, states
from batch.shop.three_ways import unlike
from infra.commands.screen import Screen
from infra.dates import clock
from infra.failures import PermanentFailure, TransientFailure
from infra.settings import settings
from infra.shop.db import orders
from infra.shop.options import SHOP_DB
from streaming.shop.order_state import State

commands = typer.Typer()
console = Screen()
SHORT = 8
"""Characters of an event id that tell it from others on a screen."""


@commands.command()
def state(
    order: Annotated[str, typer.Option("--order", help="The order's id, e.g. o-0123abcd.")],
    at: Annotated[
        str | None, typer.Option("--at", help="As of this event time (UTC): what had happened by then.")
    ] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", help="As known at this time (UTC): what had arrived by then.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per event, with the state after it.")
    ] = False,
) -> None:
    """An order rebuilt from its events: now, as of a time, or as it was known at a time. Nothing is stored for it."""
    happened, arrived = _moment(at, "--at"), _moment(known_at, "--known-at")
    found = known(settings(), order)
    if not found.events and not found.rejected:
        raise PermanentFailure(f"no event of order {order!r} has arrived")
    lines = history(found.events, happened, arrived)
    if as_json:
        for line in lines:
            print(json.dumps(asdict(line), default=str))
        return
    if not found.events:
        console.print(f"{order}: no event of it is valid")
    elif not lines:
        console.print(f"{order}: no event of it had {'happened' if at else 'arrived'} by then")
    else:
        console.print(_shown(lines))
        console.print(f"{order} is {_said(lines[-1])}")
    for row in found.rejected:
        place = f"{row['topic']}-{row['partition']} at {row['offset']}"
        console.print(f"rejected: {place}, arrived {clock(row['arrival'])}: {', '.join(row['reasons'])}")
    if lines and happened is None and arrived is None:
        _compare(found)
        if settings().has(SHOP_DB):
            _compare_row(order, lines[-1].state)
    if lines and found.truth and arrived is None:
        _compare_states(order, found, happened)


def _shown(lines: list[Line]) -> Table:
    table = Table("happened", "arrived", "event", "", "status", box=None)
    for name in ("paid", "of"):
        table.add_column(name, justify="right")
    for line in lines:
        late = f"late by {line.late_by_ms / 60_000:,.1f} min" if line.late_by_ms else ""
        note = late if line.changes else f"{late} changes nothing".strip()
        event = f"{line.event_type} {line.event_id[:SHORT]}"
        after = line.state
        table.add_row(
            *(clock(line.happened), clock(line.arrived), event, note, after.status.value),
            *(_money(after.paid_cents), _money(after.total_cents)),
        )
    return table


def _said(line: Line | Change) -> str:
    """The state in words."""
    own = line.state
    said = [own.status.value, f"{_money(own.paid_cents)} of {_money(own.total_cents)} paid"]
    said += [f"{own.failed_payments} failed payments"] if own.failed_payments else []
    said += [f"reason: {own.reason}"] if own.reason else []
    return ", ".join([*said, f"by {own.customer_id}"] if own.customer_id else said)


def _compare(found: Known) -> None:
    """What the night and gold have of the order."""
    if found.unsettled:
        names = ", ".join(one[:SHORT] for one in found.unsettled)
        console.print(f"on its settled day the stream and the truth differ by {names}: the next night settles it anew")
    elif any(event["day"] in found.settled for event in found.events):
        console.print("the night has settled its day with the same events")
    else:
        console.print("its day is not settled yet")
    if found.gold:
        row = found.gold
        sums = f"{_money(row['paid_cents'])} of {_money(row['total_cents'])}"
        sure = f"{row['status']} {row['revisions']}x" if row["revisions"] else row["status"]
        console.print(f"gold: {row['payment_status']} within three days, {sums}; {sure} as of {clock(row['as_of'])}")


def _compare_states(order: str, found: Known, at: datetime | None) -> None:
    """What gold's states say, and whether a replay of the same events says so too: those in the truth of settled days."""
    try:
        told = states(order, at)
    except (PermanentFailure, TransientFailure) as failure:
        # The rest of the answer does not depend on it.
        console.print(f"gold's states are not shown: {failure}")
        return
    if told:
        last = told[-1]
        by = f"by {last.event_type} {last.event_id[:SHORT]}"
        console.print(f"gold, of settled days: {_said(last)}, since {clock(last.since)} {by}")
    wrong = difference(told, history(found.truth, at))
    agrees = f"its {len(told)} changes in gold are those that a replay of the same events gives"
    console.print(f"gold and the replay differ: {wrong}" if wrong else agrees)


def _compare_row(order: str, replayed: State) -> None:
    """The order's row in the shop's database, and whether it is what the replay of its events gives."""
    try:
        row = orders.row(settings(), order)
    except (PermanentFailure, TransientFailure) as failure:
        console.print(f"its row is not shown: {failure}")
        return
    wrong = unlike(row, replayed)
    since = f"{row['status']} since {clock(row['changed_at'])}, as the replay says" if row else ""
    console.print(f"the shop's database: {wrong or since}")


def _money(cents: int | None) -> str:
    return "-" if cents is None else f"{cents / 100:,.2f}"


def _moment(text: str | None, option: str) -> datetime | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise PermanentFailure(f"{option} {text!r} is not a time: write it as YYYY-MM-DDTHH:MM, in UTC") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
