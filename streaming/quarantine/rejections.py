"""Rejections: how much of each topic went to quarantine lately, and the alarm if it is more than an accident.

Data flow: a micro-batch's records and its rows of quarantine -> counts by minute, topic and reason -> `daybreak status`, the log
Run: daybreak status

The counts are this process's own: a stream that starts again begins at zero, and what still comes raises the alarm again.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from infra import logs
from streaming.tables.silver import QUARANTINE

MINUTES = 10
"""Length of "lately"; the running minute counts as a whole one."""
FEWEST = 3
"""Fewer rejected records of a topic are an accident, whatever their share is."""


@dataclass(frozen=True)
class Counts:
    """Records by topic, those of them in quarantine, and how often each reason was given, by topic and reason."""

    read: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, more: "Counts") -> "Counts":
        return Counts(self.read + more.read, self.rejected + more.rejected, self.reasons + more.reasons)


class Rejections:
    """Counts of the last MINUTES: at most one per topic and reason in each, whatever is sent.

    A topic alarms from `share` of its records and FEWEST on. A topic of `captured` alarms from the first: a program writes it,
    and a change that is lost there is a wrong row from then on.
    """

    def __init__(
        self, share: float, captured: Collection[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._share = share
        self._captured = captured
        self._clock = clock
        self._minutes: dict[int, Counts] = {}
        self._said: dict[str, int] = {}

    def count(self, records: pa.Table, rejected: pa.Table | None) -> None:
        """Add a micro-batch: all its records, and its rows of quarantine if it has any; says a new alarm in the log."""
        now = self._minute()
        counts = self._minutes.get(now, Counts()) + Counts(by_topic(records))
        if rejected is not None:
            counts += Counts(rejected=by_topic(rejected), reasons=by_reason(rejected))
        # Replaced as a whole, because the thread that writes the status reads them meanwhile.
        self._minutes = {minute: old for minute, old in self._minutes.items() if minute > now - MINUTES} | {now: counts}
        if rejected is not None:
            self._say(now)

    def notices(self) -> list[str]:
        """A sentence for each topic that alarms."""
        return list(self._alarms(self._minute()).values())

    def _alarms(self, now: int) -> dict[str, str]:
        lately = [counts for minute, counts in self._minutes.items() if minute > now - MINUTES]
        total = sum(lately, Counts())
        return {topic: notice(topic, total) for topic in sorted(total.rejected) if self._is_alarm(topic, total)}

    def _is_alarm(self, topic: str, total: Counts) -> bool:
        rejected = total.rejected[topic]
        return topic in self._captured or rejected >= max(FEWEST, self._share * total.read[topic])

    def _say(self, now: int) -> None:
        """A line in the stream's log per alarm, which stays; at most one per topic in MINUTES."""
        for topic, said in self._alarms(now).items():
            if now - self._said.get(topic, -MINUTES) >= MINUTES:
                self._said[topic] = now
                logs.line(said, "daybreak stream")

    def _minute(self) -> int:
        return int(self._clock() // 60)


def by_topic(rows: pa.Table) -> Counter[str]:
    """Number of rows by topic."""
    return Counter({one["values"]: one["counts"] for one in rows["topic"].value_counts().to_pylist()})


def by_reason(rejected: pa.Table) -> Counter[tuple[str, str]]:
    """How often rows of quarantine have each reason, by topic and reason."""
    reasons = rejected["reasons"].combine_chunks()
    each = pa.table(
        {"topic": rejected["topic"].take(pc.list_parent_indices(reasons)), "reason": pc.list_flatten(reasons)}
    )
    found = each.group_by(["topic", "reason"]).aggregate([([], "count_all")])
    return Counter({(one["topic"], one["reason"]): one["count_all"] for one in found.to_pylist()})


def notice(topic: str, total: Counts) -> str:
    """What is wrong, why, and the command that shows the records."""
    reasons = Counter({reason: count for (of, reason), count in total.reasons.items() if of == topic})
    why = ", ".join(
        f"{reason} {count:,}" for reason, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
    )
    is_one = total.rejected[topic] == 1
    return (
        f"{topic}: {total.rejected[topic]:,} of {total.read[topic]:,} records of the last {MINUTES} minutes "
        f'{"is" if is_one else "are"} in quarantine ({why}): daybreak query "{query(topic)}"'
    )


def query(topic: str) -> str:
    """The SQL that shows the newest rejected records of a topic."""
    return (
        "SELECT arrival, partition, offset, reasons, left(CAST(value AS STRING), 200) AS sent "
        f"FROM {QUARANTINE.sql} WHERE topic = '{topic}' ORDER BY arrival DESC LIMIT 10"
    )
