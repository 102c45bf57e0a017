"""What the lab of direct messaging shows: its table, its sentence, and the promises that were not kept.

Data flow: Outcome after Outcome -> rows, sentences
Run: daybreak lab direct
"""

from collections.abc import Sequence

from infra.lab.direct.measure import TRANSPORTS, Outcome
from infra.lab.direct.situations import Situation
from infra.lab.result import Row
from infra.lab.transports.transport import Transport

SITUATION, TRANSPORT, ORDERS, DUE = "situation", "transport", "orders", "due"
LOST, DOUBLED, OUT_OF_ORDER, P50, P99 = "lost", "doubled", "out of order", "p50 (ms)", "p99 (ms)"
REMEMBERS = (Transport.RETRIED, Transport.KAFKA)
"""They keep an order until a consumer has acknowledged it, or commits its offset: one that dies or is away loses nothing."""
CONNECTED = (Transport.TCP, Transport.PUSHPULL, Transport.NUMBERED, *REMEMBERS)
"""They deliver everything while both ends are well and fast enough: a full buffer makes them wait, or they repeat."""


def rows(found: Sequence[Outcome]) -> list[Row]:
    """A row per situation and transport. What is lost and doubled counts deliveries: two per order, one if work is shared."""
    return [
        {
            SITUATION: one.situation,
            TRANSPORT: one.transport,
            ORDERS: one.figures.sent,
            DUE: one.figures.due,
            LOST: one.figures.counts.lost,
            DOUBLED: one.figures.counts.doubled,
            OUT_OF_ORDER: one.figures.out_of_order,
            P50: _ms(one.figures.p50_ms),
            P99: _ms(one.figures.p99_ms),
        }
        for one in found
    ]


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def shows(found: Sequence[Outcome]) -> str:
    """The measured figures in one sentence."""
    bare = _lost(found, Situation.AWAY, Transport.TCP)
    repeated = _lost(found, Situation.AWAY, Transport.NUMBERED)
    late = _of(found, Situation.AWAY, Transport.RETRIED).figures
    died = _lost(found, Situation.PRODUCER, Transport.RETRIED)
    log = sum(_lost(found, situation, Transport.KAFKA) for situation in Situation)
    well = sum(one.figures.counts.lost for one in found if one.situation is Situation.WELL)
    return (
        f"While all are well, {len(TRANSPORTS)} transports lose {_number(well)} of their deliveries; an absence costs a TCP "
        f"consumer {_number(bare)}, one that asks for repetition {_number(repeated)}, and one behind a retried webhook "
        f"{_number(late.counts.lost)}, but {_number(late.out_of_order)} come out of order; {_number(died)} of those that "
        f"wait for a retry die with the producer; Kafka loses {_number(log)} in any situation."
    )


def broken(found: Sequence[Outcome]) -> list[str]:
    """A sentence for each promise that was not kept."""
    wrong = []
    for one in found:
        lost = one.figures.counts.lost
        promised = (
            one.transport is Transport.KAFKA
            or (one.situation is Situation.WELL and one.transport in CONNECTED)
            or (one.situation is not Situation.PRODUCER and one.transport in REMEMBERS)
        )
        if lost and promised:
            wrong.append(f"{one.transport} lost {lost} deliveries, and must not where {one.situation}")
    return wrong


def _of(found: Sequence[Outcome], situation: Situation, transport: Transport) -> Outcome:
    return next(one for one in found if one.situation is situation and one.transport is transport)


def _lost(found: Sequence[Outcome], situation: Situation, transport: Transport) -> int:
    return _of(found, situation, transport).figures.counts.lost


def _number(count: int) -> str:
    return f"{count:,}" if count else "none"
