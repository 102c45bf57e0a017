"""Partitions whose records wait behind an open transaction: the watermark waits for them, as for a backlog.

Data flow: ends of the log -> partitions that the watermark waits for; those that it gave up, as problems
Run: pytest tests/streaming/test_held_back.py

Their events came in time, and the stream may not read them yet. It does not wait for ever: a producer that died leaves its
transaction open until the broker ends it, and a broken one for longer.
"""

import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor, Future

from infra.kafka import client
from infra.kafka.ends import Open, both_ends, opened
from infra.kafka.login import of_tools
from infra.kafka.places import At, Ends
from infra.problems import Problem, keep
from infra.settings import Settings, settings
from streaming.tables.progress import Offset

SOURCE = "transactions"
"""Of the problems."""
WORTH_SAYING = 10.0
"""Seconds after which an open transaction is a notice: most end within one."""


class HeldBack:
    """Remembers since when each partition waits at the same offset."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.admin = client.admin()
        self._clock = clock
        self._since: dict[At, tuple[Open, float]] = {}
        self._given_up: frozenset[At] = frozenset()
        self._unread: dict[At, int] = {}
        self._asked: Future[dict[At, Open]] = Future()

    def ask(self, pool: Executor, places: Collection[At]) -> None:
        """Ask Kafka in another thread."""
        self._asked = pool.submit(both_ends, self.admin, places)

    def waits(self, offsets: Collection[Offset]) -> frozenset[At]:
        """The partitions to wait for behind a micro-batch of these offsets, when Kafka has answered.

        Raises TransientFailure if it does not.
        """
        return self.saw(opened(self._asked.result()), {(topic, number): to for topic, number, _, to in offsets})

    def more_comes(self, offsets: Collection[Offset]) -> bool:
        """Does the log have more that the stream may read, behind a micro-batch of these offsets? As `waits`."""
        found = self._asked.result()
        return any(found[topic, number].stable > to for topic, number, _, to in offsets if (topic, number) in found)

    def saw(self, found: Mapping[At, Open], read_to: Ends) -> frozenset[At]:
        """The same of what is open now; those that have waited for too long are told, and not waited for.

        A transaction may end after the micro-batch was planned and before Kafka was asked: what it held back is read by the next
        one, so until then it counts as open.
        """
        now, s = self._clock(), settings()
        unread = {at: end for at, end in self._unread.items() if read_to.get(at, end) < end}
        self._unread = unread | {at: one.end for at, one in found.items()}
        before = {at: (one.stable, since) for at, (one, since) in self._since.items()}
        self._since = {
            at: (one, before[at][1] if at in before and before[at][0] == one.stable else now)
            for at, one in found.items()
        }
        limit = s.transaction_wait_seconds
        given_up = frozenset(at for at, (_, since) in self._since.items() if now - since > limit)
        if given_up != self._given_up:
            keep(s, SOURCE, [_problem(s, at, self._since[at][0]) for at in sorted(given_up)])
            self._given_up = given_up
        return frozenset(self._unread) - given_up

    def notices(self) -> list[str]:
        """Sentences about those that wait for longer than most."""
        now = self._clock()
        return [
            f"{at[0]}-{at[1]}: {one.size:,} offsets wait behind a transaction that is open since {now - since:,.0f} s; "
            + (
                "the watermark has not waited for it any longer"
                if at in self._given_up
                else "the watermark waits for it"
            )
            for at, (one, since) in sorted(self._since.items())
            if now - since > WORTH_SAYING
        ]


def _problem(s: Settings, at: At, one: Open) -> Problem:
    topic, number = at
    return Problem(
        f"log.open-transaction/{topic}-{number}",
        f"a transaction on {topic}-{number} has been open at offset {one.stable} for more than "
        f"{s.transaction_wait_seconds} s. Nothing behind it can be read, and the watermark does not wait for it any more: "
        "events behind it will be late",
        f"find its producer with `kafka-transactions {of_tools(s)} describe-producers --topic {topic} "
        f"--partition {number}`, and end it (`kafka-transactions ... abort --start-offset {one.stable}`)",
        one.size,
        (f"{topic}-{number} at {one.stable}",),
    )
