"""The lab of overload: every case at once, with the same orders, producer and consumer.

Data flow: the shop's orders -> a run per case -> Outcomes
Run: daybreak lab overload
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from infra.lab.counts import count
from infra.lab.overload.brokers import NONE, Broker, brokers
from infra.lab.overload.cases import CASES, Case
from infra.lab.overload.run import Load, Sample, Watched, run
from infra.lab.processes.placed_orders import write_orders
from infra.lab.processes.together import Together, side_by_side
from infra.settings import Settings


@dataclass(frozen=True)
class Outcome:
    """What became of the orders `made` in one case: how many were `taken`, how many of these `lost`, and by each of the samples
    how many were (`losses`). What a queue held counts as lost from the death of its process on; any other order that never came,
    from when it was sent. `died` says whether the producer had more memory than it may."""

    case: Case
    made: int
    taken: int
    lost: int
    samples: list[Sample]
    losses: list[int]
    died: bool
    broker: Broker


def measure(s: Settings, rate: float, seconds: float, seed: int) -> list[Outcome]:
    """Make `rate` orders a second for so many `seconds`. Raises TransientFailure if a broker or a process fails.

    Without the option queue there is no outcome of the queue broker.
    """
    (s.home / "lab").mkdir(parents=True, exist_ok=True)
    with (
        brokers(s) as there,
        tempfile.TemporaryDirectory(prefix="overload-", dir=s.home / "lab") as folder,
    ):
        file, orders = Path(folder) / "orders.jsonl", round(rate * seconds)
        write_orders(file, orders, seed)
        load = Load(file, orders, rate)

        def one(case: Case, together: Together) -> Outcome:
            broker = there.get(case.transport, NONE)
            ledger = Path(folder) / f"{CASES.index(case)}"
            return outcome(case, orders, run(case, load, ledger, broker, together), broker)

        return side_by_side([case for case in CASES if not case.of_broker or case.transport in there], one)


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
