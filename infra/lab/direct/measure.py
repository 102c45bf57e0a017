"""The lab of direct messaging: every transport in every situation, with the same orders and the same disturbances.

Data flow: the shop's orders -> a run per transport and situation -> Outcomes
Run: daybreak lab direct

While all are well each transport runs alone, so that its delays are its own. In the other situations all run side by side:
their delays are those of an absence or of a death.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.kafka import client
from infra.lab.direct.figures import Figures
from infra.lab.direct.run import Load, Run
from infra.lab.direct.situations import CONSUMERS_NEEDED, PRODUCERS_NEEDED, Situation, count, happen
from infra.lab.processes.placed_orders import write_orders
from infra.lab.processes.together import Together, side_by_side
from infra.lab.topics import topics
from infra.lab.transports.transport import Transport
from infra.settings import Settings

TRANSPORTS = tuple(transport for transport in Transport if transport is not Transport.QUEUE)
"""All but the queue broker, which has a lab of its own, and is there only with its option."""


@dataclass(frozen=True)
class Outcome:
    """What one transport did in one situation."""

    transport: Transport
    situation: Situation
    figures: Figures


def history(rate: float, away: float) -> int:
    """Messages that a producer keeps to repeat them: half of those that it sends during an absence."""
    return max(round(rate * away / 2), 1)


def measure(s: Settings, rate: float, away: float, seed: int) -> list[Outcome]:
    """Run all. Raises TransientFailure if Kafka or a process fails, or if a run does not come to its end."""
    (s.home / "lab").mkdir(parents=True, exist_ok=True)
    names = [situation.name.lower() for situation in Situation]
    with (
        topics("direct", names, 1, s.kafka_replication) as logs,
        tempfile.TemporaryDirectory(prefix="direct-", dir=s.home / "lab") as folder,
    ):
        file = Path(folder) / "orders.jsonl"
        write_orders(file, max(count(situation, rate, away) for situation in Situation), seed)
        load = Load(file, rate, history(rate, away), client.options())
        found: list[Outcome] = []
        for situation, log in zip(Situation, logs, strict=True):

            def one(
                transport: Transport, together: Together, situation: Situation = situation, log: str = log
            ) -> Outcome:
                ledger = Path(folder) / f"{situation.name}-{transport.name}"
                lives, producers = CONSUMERS_NEEDED[situation], PRODUCERS_NEEDED[situation]
                with Run(transport, load, ledger, log, together, lives + producers) as run:
                    return Outcome(transport, situation, happen(situation, run, rate, away))

            alone = situation is Situation.WELL
            groups: list[Sequence[Transport]] = [[one] for one in TRANSPORTS] if alone else [TRANSPORTS]
            for group in groups:
                found += side_by_side(group, one)
        return found
