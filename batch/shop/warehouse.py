"""The warehouse as a follower: gold's tables of the captured rows, which dbt builds from silver (option shop-db).

Data flow: speed/progress, silver -> dbt -> gold/dim_shop_<table>, with the position up to which it has the log
Run: daybreak follower rebuild warehouse

The position is where the stream was before dbt began to read, and comes into the table in the commit of its rows. So the rows may
be newer than it says, and never older.
"""

import json
from collections.abc import Iterator
from typing import Any

from infra.kafka.read_committed import committed
from infra.lake import reader
from infra.settings import Settings
from infra.shop.db.changes import Change, folded, read
from infra.shop.db.check import Comparison, compared
from infra.shop.db.connector import topic
from infra.shop.db.tables import COMPARED, KEYS
from infra.shop.followers.follower import Position, as_text, from_text
from infra.shop.followers.lag import Lag, behind, ends
from infra.shop.options import SHOP_DB
from infra.sql import gold
from streaming.monitor.catch_up import latest

NAME = "warehouse"
PROPERTY, VARIABLE = "daybreak.position", "DAYBREAK_SHOP_DB_POSITION"
MODELS = [f"{kind}_shop_{table}" for table in COMPARED for kind in ("stg_silver_", "dim")]


def known(s: Settings) -> dict[str, str]:
    """For dbt: the offsets that the stream has read of the captured topics; nothing where the option is off."""
    if not s.has(SHOP_DB):
        return {}
    topics = [topic(table) for table in COMPARED]
    read_to: list[dict[str, Any]] = latest(s, "offsets") or []
    position = {(at["topic"], at["partition"]): at["to"] for at in read_to if at["topic"] in topics}
    return {VARIABLE: json.dumps(as_text(position))}


def rebuild(s: Settings) -> None:
    """Build its tables anew from silver, while the old ones serve. Raises as `infra.sql.gold.run`."""
    gold.rebuild(s, MODELS, known)


def position(s: Settings, table: str) -> tuple[Position, float | None]:
    """Of one table: up to where it has its topic, and when it was built (epoch seconds); nothing before its first build."""
    if not reader.exists(s, _id(table)):
        return {}, None
    built = reader.delta(s, _id(table))
    said = from_text(json.loads(built.metadata().configuration.get(PROPERTY, "{}")))
    at = built.history(1)[0]["timestamp"] / 1000
    return {place: offset for place, offset in said.items() if place[0] == topic(table)}, at


def lag(s: Settings) -> Lag:
    """How far its tables are behind the log; when the oldest of them was built."""
    found = [position(s, table) for table in COMPARED]
    times = [at for _, at in found if at is not None]
    reached = {place: offset for own, _ in found for place, offset in own.items()}
    late = behind(reached, ends(topic(table) for table in COMPARED))
    return Lag(NAME, ", ".join(COMPARED), late, min(times) if len(times) == len(found) else None)


def in_the_warehouse(s: Settings) -> list[Comparison]:
    """One comparison per table that was built, with the log as far as the table has come.

    A row may be newer than the position says: a key that has changed behind it is told as the log has it in front of it.
    """
    found = []
    for table in COMPARED:
        reached, at = position(s, table)
        if at is None:
            continue
        rows = {tuple(str(row[name]) for name in KEYS[table]): row for row in reader.read(s, _id(table)).to_pylist()}
        changes = list(_changes(table, reached))
        before = folded(one for one, is_behind in changes if not is_behind)
        later = {one.key for one, is_behind in changes if is_behind}
        told = {key: row for key, row in rows.items() if key not in later}
        told |= {key: row for key, row in before.items() if key in later}
        found.append(compared(table, f"the {NAME}", before, told))
    return found


def _changes(table: str, reached: Position) -> Iterator[tuple[Change, bool]]:
    """The changes in the log, each with: is it behind the position?"""
    for message in committed(topic(table)):
        if found := read(table, message.value()):
            place = (topic(table), message.partition() or 0)
            yield found, (message.offset() or 0) >= reached.get(place, 0)


def _id(table: str) -> str:
    return f"gold/dim_shop_{table}"
