"""Send a run: past events as fast as Kafka accepts them, live events when they happen.

Data flow: Run -> Sender -> Kafka, and a count of what was sent
Run: daybreak shop --days 0 --live 60
"""

import time
from collections import Counter
from collections.abc import Callable

from infra.kafka.send import Sender
from infra.shop.event import MINUTE
from infra.shop.run import Run

STEP = 500
"""Records between two reports of progress while replaying."""

TOGETHER_MS = 5 * MINUTE
"""Event time between two waits for the broker in a replay. A producer fills each partition on its own; without waits
they drift apart, and a stream that reads along would mark the slower one late. Well below any sensible delay."""

Sent = Counter[tuple[str, str]]
"""Records sent, by topic and kind."""


def now_ms() -> int:
    """The wall clock in epoch milliseconds."""
    return time.time_ns() // 1_000_000


def deliver(
    run: Run,
    sender: Sender,
    sent: Sent,
    progress: Callable[[int, int], None],
    reached: Callable[[int], None] = lambda reached_ms: None,
    together: Callable[[], None] = lambda: None,
) -> None:
    """Send every record of `run`; `progress` gets the number of new records and the event time reached.

    `reached` gets each time (epoch milliseconds) before the records that are sent then. `together` waits, now and then in a
    replay and at the end, until what follows from the records so far is in the log too.
    """
    unreported = 0
    together_until = run.start_ms + TOGETHER_MS
    for copy in run.records():
        due = min(copy.send_ms, run.end_ms - 1)
        if not run.live and due >= together_until:
            sender.flush()
            together()
            together_until = due + TOGETHER_MS
        if run.live and unreported and due > now_ms():
            progress(unreported, due)
            unreported = 0
        while run.live and (early := due - now_ms()) > 0:
            # Waiting in the client keeps the delivery reports coming.
            sender.poll(early / 1000)
        reached(due)
        sender.send(copy.topic, copy.key, copy.value, copy.event_id, kind=copy.kind)
        sent[copy.topic, copy.kind] += 1
        unreported += 1
        if unreported == STEP:
            progress(unreported, due)
            unreported = 0
    reached(run.end_ms)
    sender.flush()
    together()
    progress(unreported, run.end_ms)
