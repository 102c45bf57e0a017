"""Targets that do not get what waits for them, and dead letters that nobody has sent again or dismissed.

Data flow: `notify-state`, `notify-dead-letters`, ends of the topics -> Problem per target
Run: daybreak status --problems
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from confluent_kafka.admin import AdminClient

from infra.durations import span
from infra.kafka import client
from infra.kafka.partitions import unread_since
from infra.last_said import last_said
from infra.options import NOTIFY
from infra.problems import EXAMPLES, Problem
from infra.services.notify import status_file
from infra.settings import Settings
from streaming.notify import letters, state
from streaming.notify.log import places, waiting
from streaming.notify.state import Progress, progress
from streaming.notify.targets import Target, file_of, read, topics_of


def look(s: Settings) -> list[Problem]:
    """The problems of all targets. Raises TransientFailure if Kafka does not answer."""
    known = read(file_of(s))
    if not known:
        return []
    dead = letters.open_letters(s)
    found = [_letters(s, target, len(dead[target.id])) for target in known.values() if dead.get(target.id)]
    if s.has(NOTIFY):
        kept, admin, said = state.read(s), client.admin(), last_said(status_file(s)).get("targets", {})
        for target in known.values():
            found += _behind(s, admin, target, progress(target, kept), said.get(target.name, {}))
    return found


def _letters(s: Settings, target: Target, count: int) -> Problem:
    some = [f"{one.delivery.what}: {one.why}" for one in islice(letters.of(s, target), EXAMPLES)]
    what = f"{target.name} did not take what was sent to it, or was away for too long: {count:,} dead letters"
    if count >= letters.MOST:
        what += ", the most; what follows waits in the log"
    mend = f"mend the receiver; then: daybreak notify resend {target.name} (or: daybreak notify dismiss {target.name})"
    return Problem(f"notify.dead-letters/{target.name}", what, mend, count, tuple(some))


def _behind(s: Settings, admin: AdminClient, target: Target, own: Progress, said: dict[str, Any]) -> Iterator[Problem]:
    behind = waiting(admin, places(s, admin, target.topics), own.positions)
    count, now = sum(end - first for first, end in behind.values()), time.time()
    if own.failing:
        since, why = min(own.failing.values())
        if now - since >= s.still_seconds:
            what = f"{target.name} has not taken what waits in {', '.join(sorted(own.failing))} for {span(now - since)}: {why}"
            mend = f"daybreak notify test {target.name}; nothing is lost before {s.notify_give_up_hours:g} h"
            yield Problem(
                f"notify.away/{target.name}", what, mend, count or None, since=datetime.fromtimestamp(since, UTC)
            )
        return
    patience = s.still_seconds + (s.notify_mail_seconds if target.mail else 0)
    if not behind or now - said.get("moved", 0.0) < patience:
        return
    first = unread_since({at: one for at, (one, _) in behind.items()}, [topics_of(s)[name] for name in target.topics])
    if first and now - first.timestamp() >= patience:
        what = f"nothing has been sent to {target.name} since {first:%Y-%m-%d %H:%M:%S} UTC, although it does not refuse it"
        yield Problem(
            f"notify.stands-still/{target.name}",
            what,
            "daybreak logs notify; then: daybreak restart notify",
            count,
            since=first,
        )
