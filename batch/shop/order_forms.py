"""One order in every form that the platform keeps of it: as it was written, and as it is read.

Data flow: Kafka's log, silver, gold, the shop's database, cache and search index -> Form after Form, each found and timed here
Run: daybreak lab cqrs
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11: command query responsibility segregation.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from batch.shop.order_history import GOLD, KEY, TOPICS, Known, history, known
from batch.shop.order_in_gold import states
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.read_committed import committed
from infra.lake import reader
from infra.settings import Settings
from infra.shop.db import orders
from infra.shop.db.tables import ORDERS
from infra.shop.followers import index
from infra.shop.followers.product_index import TABLE, ProductIndex
from infra.shop.followers.row_cache import RowCache
from infra.shop.options import ORDER_SERVICE, SHOP_DB
from infra.shop.orders import snapshot

Way = Callable[[], "Form | None"]
WRITTEN, FOLDED = "events, as written", "events, folded"


@dataclass(frozen=True)
class Form:
    """A form of an order: where it is kept, what it answers, how many rows and bytes were read in how many milliseconds.

    `status` is the order's, where the form says one; `again`: what builds it anew.
    """

    form: str
    kept_in: str
    answers: str
    rows: int
    size: int
    milliseconds: float
    status: str | None
    again: str


def forms(s: Settings, order: str) -> list[Form]:
    """Every form that is there now; those of an option, while it is on. Raises PermanentFailure if no event has come."""
    found = known(s, order)
    if not found.events:
        raise PermanentFailure(f"no event of order {order!r} has arrived: daybreak state --order {order}")
    ways: list[Way] = [lambda: _written(order), lambda: _folded(s, order)]
    if s.has(ORDER_SERVICE):
        ways += [lambda: _decided(order)]
    if s.has(SHOP_DB):
        ways += [lambda: _row(s, order), lambda: _cached(s, order), lambda: _indexed(s, found)]
    if found.gold:
        ways += [lambda: _fact(s, order), lambda: _states(order, found)]
    return list(_timed(ways))


def _timed(ways: list[Way]) -> Iterator[Form]:
    for way in ways:
        began = time.perf_counter()
        if (form := way()) is not None:
            yield Form(**vars(form) | {"milliseconds": (time.perf_counter() - began) * 1000})


def _form(kept_in: tuple[str, str], answers: str, rows: list[Any], status: str | None, again: str) -> Form:
    size = sum(len(row) if isinstance(row, bytes) else len(json.dumps(row, default=str).encode()) for row in rows)
    return Form(*kept_in, answers, len(rows), size, 0.0, status, again)


def _written(order: str) -> Form:
    own = [one.value() for topic in TOPICS for one in committed(topic) if one.key() == order.encode()]
    return _form(
        (WRITTEN, "Kafka's log"),
        "what happened, in all its detail",
        own,
        None,
        "nothing: it is what the others are made of",
    )


def _folded(s: Settings, order: str) -> Form:
    events = known(s, order).events
    last = history(events)[-1].state.status.value
    return _form((FOLDED, "silver"), "its state at any time", list(events), last, "python -m streaming rebuild")


def _decided(order: str) -> Form | None:
    state = snapshot.read()[0].order(order)
    again = "daybreak order start-anew"
    kept = ("the writer's own state", "topic order-state, and memory")
    return _form(kept, "may this command be accepted?", [state.written()], None, again) if state else None


def _row(s: Settings, order: str) -> Form | None:
    row = orders.row(s, order)
    kept = ("a row", "Postgres")
    again = "daybreak follower rebuild orders" if s.has(ORDER_SERVICE) else "its own backups"
    return _form(kept, "how does it stand now?", [row], row["status"], again) if row else None


def _cached(s: Settings, order: str) -> Form | None:
    row = RowCache.serving(s).row(ORDERS, (order,))
    again = "daybreak follower rebuild cache"
    kept = ("a row of the cache", "Valkey")
    return _form(kept, "the same, from memory", [row], row["status"], again) if row else None


def _indexed(s: Settings, found: Known) -> Form | None:
    """The product of its first line: the index is of products, as they are named now."""
    items = next((items for event in found.events if (items := _items(event))), [])
    product = RowCache.serving(s).row(TABLE, (items[0]["product_id"],)) if items else None
    hits = ProductIndex(index.folder(s)).search(product["title"], 1) if product else []
    again = "daybreak follower rebuild index"
    return _form(("its first product", "search index"), "what is called so?", hits, None, again) if hits else None


def _items(event: dict[str, Any]) -> list[dict[str, Any]]:
    return next((event[topic].get("items") or [] for topic in TOPICS if event.get(topic)), [])


def _fact(s: Settings, order: str) -> Form:
    rows = reader.read(s, GOLD, where=pc.field(KEY) == order).to_pylist()
    return _form(
        ("a fact", f"gold, {GOLD.rpartition('/')[2]}"),
        "was it paid within three days, and how sure is that?",
        rows,
        None,
        "daybreak night, and dbt",
    )


def _states(order: str, found: Known) -> Form | None:
    try:
        rows = states(order)
    except (PermanentFailure, TransientFailure):
        # Gold is read through the gateway, which may be down; the other forms are there all the same.
        return None
    status = rows[-1].state.status.value if rows and len(found.truth) == len(found.events) else None
    return _form(
        ("its states", "gold, fct_order_states"),
        "how did it stand when?",
        [vars(row) for row in rows],
        status,
        "daybreak night",
    )
