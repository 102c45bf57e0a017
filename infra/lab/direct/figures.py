"""The figures of one run: what was lost, doubled and out of order, and how long orders took.

Data flow: a ledger's Facts -> Figures
Run: daybreak lab direct
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from infra.lab.counts import Counts, count
from infra.lab.processes.ledger import Facts

CONSUMERS = (1, 2)


@dataclass(frozen=True)
class Figures:
    """Of one run: orders `sent`, what became of the deliveries that are due for them, and delays in milliseconds.

    If consumers share the work, each order is due once, else once to each consumer. `counts` counts deliveries;
    `out_of_order` are those that came after one with a higher number. Delays are of first deliveries, from the moment at
    which the order was due to be sent to the end of the work on it; None if there was none.
    """

    sent: int
    counts: Counts
    out_of_order: int
    p50_ms: float | None
    p99_ms: float | None

    @property
    def due(self) -> int:
        """Deliveries that were due."""
        return self.counts.sent


def figures(facts: Facts, shared: bool) -> Figures:
    """Count. Raises ValueError if an order was processed that nobody sent."""
    sent = list(dict.fromkeys(facts.sent))
    # Who shares has one stream of orders between them; the ledger's own order tells which came first.
    streams = [0] if shared else CONSUMERS
    found = [(0 if shared else one.consumer, one.number) for one in facts.processed]
    seen: set[tuple[int, int]] = set()
    highest = dict.fromkeys(streams, -1)
    delays, behind = [], 0
    for (stream, number), one in zip(found, facts.processed, strict=True):
        if (stream, number) in seen:
            continue
        seen.add((stream, number))
        delays.append(one.delay_ns / 1e6)
        behind += number < highest[stream]
        highest[stream] = max(highest[stream], number)
    return Figures(
        sent=len(sent),
        counts=count([(stream, number) for stream in streams for number in sent], found),
        out_of_order=behind,
        p50_ms=percentile(delays, 0.5),
        p99_ms=percentile(delays, 0.99),
    )


def still_due(facts: Facts, shared: bool) -> int:
    """Deliveries that have not come yet."""
    found = {(0 if shared else one.consumer, one.number) for one in facts.processed}
    return len(set(facts.sent)) * (1 if shared else len(CONSUMERS)) - len(found)


def percentile(delays: Sequence[float], share: float) -> float | None:
    """The least delay that `share` of the delays do not exceed (nearest rank)."""
    return sorted(delays)[math.ceil(share * len(delays)) - 1] if delays else None
