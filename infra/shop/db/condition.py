"""Does the capture of changes work, and if not, what would help?

Data flow: Kafka Connect's word, the tables, the slot, the connector's heartbeat -> a sentence, or None
Run: daybreak status
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from infra.durations import span
from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.connection import connected
from infra.shop.db.locks import held_up
from infra.shop.db.rest import NAME, SECONDS, asked, said, state
from infra.shop.db.slot import lost
from infra.shop.db.tables import HEARTBEAT, lacks_texts, missing, not_full

SILENT = timedelta(seconds=60)
"""A connector that has not beaten for so long is counted as dead, whatever Kafka Connect says of it."""


_WAYS = {"OutOfMemoryError": "a row or a transaction is too large for its heap: raise DAYBREAK_CONNECT_MEMORY"}
"""Of a cause, by its name, what would help."""


def fails(s: Settings) -> str | None:
    """Why nothing is captured, and will not be without help; None if it is, or may be soon."""
    try:
        return broken(s) or _failed(said(s))
    except TransientFailure:
        return None


def notices(s: Settings) -> tuple[str, ...]:
    """What people should know of a capture that works."""
    try:
        tables = not_full(s)
    except TransientFailure:
        return ()
    return tuple(f"{lacks_texts(table)}. Set it: daybreak restart connect" for table in tables)


def broken(s: Settings, seconds: float = SECONDS) -> str | None:
    """What is wrong in the database itself: a table or the slot is gone, or its log. Connect would go on trying for ever.

    Raises TransientFailure if Connect does not answer within so many seconds.
    """
    return missing(s) or lost(s) or _gone_back(s, seconds)


def _gone_back(s: Settings, seconds: float) -> str | None:
    """Is the end of the database's log in front of what was captured? Of a key the change with the largest LSN counts, so newer
    changes would be taken for older ones."""
    answer = asked(s, "GET", "/offsets", seconds=seconds)
    if answer.is_error:
        return None
    captured = [int(one["offset"].get("lsn") or 0) for one in answer.json()["offsets"] if one.get("offset")]
    with connected(s) as own:
        row = own.execute("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, pg_current_wal_lsn()").fetchone()
    if not row or not captured or max(captured) <= row[0]:
        return None
    reached = f"{max(captured) >> 32:X}/{max(captured) & 0xFFFFFFFF:X}"
    return (
        f"the shop database's log ends at {row[1]}, and changes up to {reached} were captured: it was restored from a backup, "
        f"or is another one. Let its log begin behind {reached} (pg_resetwal -l), then: daybreak shop-db snapshot"
    )


def _failed(now: dict[str, Any] | None) -> str | None:
    for one in [now["connector"], *now["tasks"]] if now else []:
        if one["state"] == "FAILED":
            cause = _cause(one.get("trace", ""))
            return f"its connector {NAME} has failed: {cause}. Mend that, then: daybreak restart connect"
    return None


def waits_for(s: Settings) -> str | None:
    """None if the connector runs and beats, or is not registered yet; else what it waits for."""
    now = state(s)
    if now == "ABSENT":
        return None
    if now != "RUNNING":
        return f"its connector {NAME} to run (it is {now.lower()})"
    with connected(s) as own:
        found = own.execute(f"SELECT at FROM {HEARTBEAT}").fetchone()
        why = held_up(own)
    since = datetime.now(UTC) - found[0] if found else None
    if since and since > SILENT:
        last = f"a heartbeat of its connector {NAME}: the last one was {span(since.total_seconds())} ago"
        return f"{last}; {why}" if why else last
    # Before its first beat it may wait with its slot, until every transaction that was open has ended.
    return None if found else why


def _cause(trace: str) -> str:
    """The innermost cause of a Java stack trace, in one line."""
    causes = [line.removeprefix("Caused by: ") for line in trace.splitlines() if line.startswith("Caused by: ")]
    first = (causes or trace.splitlines() or ["it gives no reason"])[-1 if causes else 0]
    return f"{first.strip()}{next((f' ({way})' for name, way in _WAYS.items() if name in first), '')}"
