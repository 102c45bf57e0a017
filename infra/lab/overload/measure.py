"""The lab of overload: every case at once, with the same orders, producer and consumer.

Data flow: the shop's orders -> a run per case -> Outcomes
Run: daybreak lab overload
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from infra.kafka import client
from infra.lab.counts import count
from infra.lab.overload.cases import CASES, Case
from infra.lab.overload.run import Load, Sample, Watched, run
from infra.lab.overload.sizes import Broker, kafka
from infra.lab.processes.placed_orders import write_orders
from infra.lab.processes.together import Together, side_by_side
from infra.lab.topics import topics
from infra.lab.transports.transport import Transport
from infra.settings import Settings


@dataclass(frozen=True)
class Outcome:
    """What became of the orders `made` in one case: how many were `taken`, how many of these `lost`, and by each of the samples
    how many were (`losses`). What a queue held counts as lost from the death of its process on; any other order that never came,
    from when it was sent. `died` says whether the producer ran out of memory."""

    case: Case
    made: int
    taken: int
    lost: int
    samples: list[Sample]
    losses: list[int]
    died: bool
    broker: Broker


def measure(s: Settings, rate: float, seconds: float, seed: int) -> list[Outcome]:
    """Make `rate` orders a second for so many `seconds`. Raises TransientFailure if Kafka or a process fails."""
    (s.home / "lab").mkdir(parents=True, exist_ok=True)
    with (
        topics("overload", ["log"], 1, s.kafka_replication) as (topic,),
        tempfile.TemporaryDirectory(prefix="overload-", dir=s.home / "lab") as folder,
    ):
        file, orders = Path(folder) / "orders.jsonl", round(rate * seconds)
        write_orders(file, orders, seed)
        load = Load(file, orders, rate, client.options())

        def one(case: Case, together: Together) -> Outcome:
            broker = kafka(s, topic) if case.transport is Transport.KAFKA else Broker()
            ledger = Path(folder) / f"{CASES.index(case)}"
            return outcome(case, orders, run(case, load, ledger, topic, broker, together), broker)

        return side_by_side(CASES, one)


def outcome(case: Case, orders: int, watched: Watched, broker: Broker) -> Outcome:
    """Count. Raises ValueError if an order was processed that nobody sent."""
    facts = watched.facts
    counts = count(facts.sent, [one.number for one in facts.processed])
    came = {one.number for one in facts.processed}
    lost_by = [0]
    for number in facts.sent:
        lost_by.append(lost_by[-1] + (number not in came))
    losses = [
        (0 if sample.producer else counts.lost) if case.ends else lost_by[sample.sent] for sample in watched.samples
    ]
    return Outcome(case, orders, counts.sent, counts.lost, watched.samples, losses, watched.died, broker)
