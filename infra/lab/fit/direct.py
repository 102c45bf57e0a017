"""What the labs say of direct messages.

Data flow: rows of the labs direct and overload -> figures in words
Run: daybreak lab fit
"""

from functools import partial

from infra.lab.direct.situations import Situation
from infra.lab.direct.table import DUE, LOST, OUT_OF_ORDER, P50, P99, SITUATION, TRANSPORT
from infra.lab.fit.need import Figure, Figures, Need, Rows, pick
from infra.lab.labs import DIRECT, OVERLOAD
from infra.lab.overload import table as overload
from infra.lab.overload.cases import LIMITED, TCP, UDP
from infra.lab.transports.transport import Transport


def of(rows: Rows, situation: Situation, transport: Transport, column: str) -> str:
    """A figure of the lab of direct messaging."""
    return pick(rows, column, {SITUATION: situation, TRANSPORT: transport})


def _drops(rows: Rows) -> str:
    lost, made = (pick(rows, column, {overload.NAME: UDP}) for column in (overload.LOST, overload.ORDERS))
    return f"{UDP} loses {lost} of {made}"


def _refuses(rows: Rows) -> str:
    return f"a full queue in the producer's memory refuses {pick(rows, overload.NOT_TAKEN, {overload.NAME: LIMITED})}"


def _waits(rows: Rows) -> str:
    lost, took = (pick(rows, column, {overload.NAME: TCP}) for column in (overload.LOST, overload.SENDING))
    return f"{TCP}: {lost} lost, but sending takes {took} s"


def _killed(rows: Rows, situation: Situation, transport: Transport, what: str) -> str:
    lost, due = (of(rows, situation, transport, column) for column in (LOST, DUE))
    return f"{what}: {lost} of {due} lost ({transport})"


def _order(rows: Rows) -> str:
    each = (
        (transport, of(rows, Situation.AWAY, transport, OUT_OF_ORDER))
        for transport in (Transport.TCP, Transport.RETRIED)
    )
    return "a consumer was away: " + ", ".join(f"{count} out of order ({transport})" for transport, count in each)


def _repeated(rows: Rows) -> str:
    bare, repeated = (of(rows, Situation.AWAY, transport, LOST) for transport in (Transport.UDP, Transport.NUMBERED))
    return f"of {bare} that {Transport.UDP} loses in an absence, a history in the producer leaves {repeated} lost"


def _delay(rows: Rows, transport: Transport) -> str:
    p50, p99 = (of(rows, Situation.WELL, transport, column) for column in (P50, P99))
    return f"{transport}: p50 {p50} ms, p99 {p99} ms"


def _direct(situation: Situation, transport: Transport, what: str) -> Figure:
    return Figure(DIRECT, partial(_killed, situation=situation, transport=transport, what=what))


FIGURES: Figures = {
    Need.FAST: [Figure(OVERLOAD, _drops), Figure(OVERLOAD, _refuses), Figure(OVERLOAD, _waits)],
    Need.DIES: [
        _direct(Situation.KILLED, Transport.TCP, "a consumer is killed twice"),
        _direct(Situation.PRODUCER, Transport.RETRIED, "the producer is killed with messages that wait"),
    ],
    Need.LATER: [
        _direct(Situation.AWAY, Transport.TCP, "a consumer was away"),
        _direct(Situation.AWAY, Transport.RETRIED, "the same"),
    ],
    Need.ORDER: [Figure(DIRECT, _order)],
    Need.PARALLEL: [
        _direct(Situation.WELL, Transport.PUSHPULL, "two share the work"),
        _direct(Situation.KILLED, Transport.PUSHPULL, "one of them is killed twice"),
    ],
    Need.REPLAY: [Figure(DIRECT, _repeated)],
    Need.COST: [
        Figure(DIRECT, partial(_delay, transport=transport)) for transport in (Transport.TCP, Transport.RETRIED)
    ],
}
