"""Outcomes of the lab of overload as a test wants them: a sample each second, and what the ledger says."""

from collections.abc import Sequence
from dataclasses import replace

from infra.lab.overload.brokers import NONE, Broker
from infra.lab.overload.cases import CASES, Case
from infra.lab.overload.measure import Outcome, outcome
from infra.lab.overload.run import Sample, Watched
from infra.lab.processes.ledger import Facts, Processed

ORDERS = 20
HERE = Broker("place", {}, pids=[1])
STILL = Sample(0, 0, 0, 0, 0.0, 30_000_000, 20_000_000, 0, 400_000_000, 4_000)


def case(name: str) -> Case:
    (found,) = (one for one in CASES if one.name == name)
    return found


def watched(taken: int, processed: Sequence[int], refused: int = 0, died: bool = False, memory: int = 0) -> Watched:
    """Three samples: at the beginning, after 1 s when all is sent, and after 5 s when all that comes has come.

    A producer that has died has no memory in the last one.
    """
    facts = Facts(
        list(range(taken)),
        list(range(taken, taken + refused)),
        [Processed(1, number, 2_000_000_000) for number in processed],
    )
    sent = replace(STILL, seconds=1.0, sent=taken, refused=refused, processed=5, delay_ms=500.0)
    sent = replace(sent, producer=STILL.producer + memory, broker=STILL.broker + 1_000_000, disk=8_004_000)
    end = replace(sent, seconds=5.0, processed=len(processed), delay_ms=2000.0, producer=0 if died else sent.producer)
    return Watched(facts, [STILL, sent, end], died)


def well(one: Case) -> Outcome:
    """A case that keeps its promises: who drops loses 15 of 20, a queue refuses or ends, all others deliver."""
    if one.ends:
        return outcome(one, ORDERS, watched(15, range(5), died=True, memory=7_000_000), NONE)
    if one.takes_all:
        return outcome(one, ORDERS, watched(ORDERS, range(ORDERS)), HERE if one.of_broker else NONE)
    if one.keeps:
        return outcome(one, ORDERS, watched(6, range(6), refused=14), NONE)
    return outcome(one, ORDERS, watched(ORDERS, range(5)), NONE)


ALL_WELL = [well(one) for one in CASES]
