"""Three ways to an order's state: its row in the shop's database, the replay of its events, the captured changes of the row.

Data flow: table `orders` at a moment, silver/events, topic shop.public.orders -> a verdict per order -> Way
Run: daybreak shop-db check --orders

The replay is of what silver holds, as of the comparison. An order whose row and replay differ is still no difference

- while it `waits`: the row has a change of the last two days (the longest that the shop's events are late) of whose time no event
  has come. An event that arrived after the rows were read, and whose change they lack, is left out;
- if it is `older` than the table: one of its events had arrived before the table was made, so the row cannot know it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pyarrow.compute as pc

from batch.shop.order_history import KEY, TOPICS, history
from infra.failures import PermanentFailure
from infra.lake import reader
from infra.settings import Settings
from infra.shop.db import check
from infra.shop.db.changes import Moment, Row, changes
from infra.shop.db.condition import broken
from infra.shop.db.connection import connected
from infra.shop.db.orders import STATE
from infra.shop.db.reading import Rows, arrived, rows_now
from infra.shop.db.tables import ORDERS, made
from infra.shop.followers.copies import catches_up
from infra.shop.followers.lag import ends
from infra.shop.followers.order_events import UNWRITABLE
from infra.shop.followers.orders import ORDERS as FOLLOWER
from infra.shop.options import ORDER_SERVICE
from streaming.contracts import CONTRACTS
from streaming.shop.captured_copy import in_silver
from streaming.shop.order_state import State
from streaming.tables.silver import SILVER

LATEST = timedelta(days=2)
"""The longest that the shop's events are late."""
MANY = 50_000
"""Orders from which on their events are read in parts, by the first digit of the order's id: a part is held in memory."""
Event = dict[str, Any]


class Verdict(StrEnum):
    """What an order's row is to the replay of its events."""

    EQUAL = "equal"
    WAITING = "waiting"
    OLDER = "older"
    DIFFERING = "differing"


@dataclass(frozen=True)
class Way:
    """One way to all orders, against the rows of the database: how many, and how many of each verdict; `first`: what differs
    first; `waits`: the first that waits."""

    way: str
    orders: int
    equal: int
    waiting: int = 0
    older: int = 0
    differing: int = 0
    first: str | None = None
    waits: str | None = None


@dataclass(frozen=True)
class Asked:
    """When the rows were read, and when their table was made."""

    at: datetime
    made: datetime | None


def compare(s: Settings) -> list[Way]:
    """The replay, the log's copy and the stream's copy of all orders.

    Raises PermanentFailure if a table or the slot is gone, TransientFailure if connector or stream do not catch up.
    """
    if wrong := broken(s):
        raise PermanentFailure(wrong)
    with connected(s) as own:
        asked = Asked(datetime.now(UTC), made(own, ORDERS))
    if s.has(ORDER_SERVICE):
        # Records of transactions that are open now have arrived before the rows are asked for, too.
        there = ends(TOPICS, "read_uncommitted")
        catches_up(FOLLOWER, FOLLOWER.opened(s), there)
    reading = rows_now(s, [ORDERS])
    rows, at = reading.rows[ORDERS], arrived(s, reading)
    copies = {"the log": check.in_the_log(ORDERS, at), "the stream": in_silver(s)(ORDERS, at)}
    replay = _replayed(s, {key[0]: row for key, row in rows.items()}, at, asked)
    return [replay, *(_captured(name, rows, copy) for name, copy in copies.items())]


def _replayed(s: Settings, rows: Mapping[str, Row], moment: Moment, asked: Asked) -> Way:
    times: dict[str, tuple[set[datetime], set[datetime]]] = defaultdict(lambda: (set(), set()))
    for one in changes(ORDERS):
        if at := _time(one.after):
            times[one.key[0]][not moment.has(one.lsn)].add(at)
    numbers = dict.fromkeys(Verdict, 0)
    firsts: dict[Verdict, str] = {}
    for order, events in _by_order(s, rows):
        before, behind = times.get(order, ((), ()))
        verdict, why = judged(rows.get(order), events, before, behind, asked)
        numbers[verdict] += 1
        if why:
            firsts[verdict] = min(firsts.get(verdict, f"{order}: {why}"), f"{order}: {why}")
    return Way(
        "the replay of its events",
        sum(numbers.values()),
        **{verdict.value: number for verdict, number in numbers.items()},
        first=firsts.get(Verdict.DIFFERING),
        waits=firsts.get(Verdict.WAITING),
    )


def _time(row: Row | None) -> datetime | None:
    """When a row says that it was changed; None if it does not: anyone may write to a topic."""
    try:
        found = datetime.fromisoformat(row["changed_at"]) if row else None
    except (KeyError, TypeError, ValueError):
        return None
    return found if found and found.tzinfo else None


def _captured(name: str, rows: Rows, copy: Rows) -> Way:
    found = check.compared(ORDERS, name, rows, copy)
    number = len({*rows, *copy})
    return Way(
        f"the captured changes, in {name}",
        number,
        number - found.differing,
        differing=found.differing,
        first=found.first,
    )


def judged(
    row: Row | None, events: Sequence[Event], before: Collection[datetime], behind: Collection[datetime], asked: Asked
) -> tuple[Verdict, str | None]:
    """An order's row and the replay of its events (columns of EVENT): the verdict, and what differs or what it waits for.

    `before` and `behind`: the times (changed_at) of the row's changes until it was read, and after.
    """
    known = [one for one in events if one["event_time"] in before or not _is_newer(one, behind, asked)]
    lines = history(known)
    if not lines and row is None:
        # All of it is newer.
        return Verdict.EQUAL, None
    wrong = unlike(row, lines[-1].state if lines else None)
    if wrong is None:
        return Verdict.EQUAL, None
    told = {one["event_time"] for one in known}
    recent = [at for at in before if at not in told and at > asked.at - LATEST]
    if recent:
        return Verdict.WAITING, f"the event of its change of {min(recent):%Y-%m-%d %H:%M:%S} has not come"
    if asked.made and any(one["arrival"] < asked.made for one in known):
        return Verdict.OLDER, None
    return Verdict.DIFFERING, wrong


def _is_newer(event: Event, behind: Collection[datetime], asked: Asked) -> bool:
    return event["event_time"] in behind or event["arrival"] > asked.at


def unlike(row: Row | None, state: State | None) -> str | None:
    """The first column in which a row is not the state of a replay; None if they are alike."""
    if row is None:
        return "it has events, and no row in the database"
    if state is None:
        return "it has a row in the database, and no event"
    for name in STATE:
        mine, theirs = row[name], getattr(state, name)
        if isinstance(theirs, str):
            theirs = theirs.replace("\0", UNWRITABLE)
        if mine != theirs:
            return f"{name} is {_shown(mine)} in the database, and {_shown(theirs)} by the replay of its events"
    return None


def _shown(value: Any) -> str:
    return "null" if value is None else str(value)


def _by_order(s: Settings, rows: Mapping[str, Row]) -> Iterator[tuple[str, list[Event]]]:
    """Each order that has a row or an event, with its events in silver."""
    seen: set[str] = set()
    for part in [f"o-{digit:x}" for digit in range(16)] if len(rows) > MANY else [""]:
        events: dict[str, list[Event]] = defaultdict(list)
        for topic in TOPICS:
            payload = CONTRACTS[topic].column
            own = (pc.field("topic") == topic) & pc.starts_with(pc.field(payload, KEY), part)
            names = [
                "topic",
                "event_id",
                "event_type",
                "event_time",
                "arrival",
                "partition",
                "offset",
                "late_by_ms",
                payload,
            ]
            for event in reader.read(s, SILVER.id, names, where=own).to_pylist():
                events[event[payload][KEY]].append(event)
        yield from events.items()
        seen.update(events)
    yield from ((order, []) for order in rows if order not in seen)
