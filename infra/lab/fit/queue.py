"""What the labs say of a queue.

Data flow: rows of the labs overload and queue -> figures in words
Run: daybreak lab fit
"""

from functools import partial

from infra.lab.fit.need import Figure, Figures, Need, Rows, pick
from infra.lab.labs import OVERLOAD
from infra.lab.labs import QUEUE as LAB
from infra.lab.overload import table as overload
from infra.lab.overload.cases import BROKER
from infra.lab.queue.job import Way
from infra.lab.queue.situations import COPIED, Situation
from infra.lab.queue.table import NOT_DURABLE, TAKEN, WHAT, WHAT_HAPPENS
from infra.options import QUEUE


def behind(rows: Rows, name: str) -> str:
    """What a broker does with what is too much."""
    columns = (overload.LOST, overload.WAITING, overload.DISK, overload.DELAY)
    lost, waiting, disk, delay = (pick(rows, column, {overload.NAME: name}) for column in columns)
    return f"{lost} lost; up to {waiting} wait, {disk} MB on its disk; the newest comes after {delay} s"


def _said(rows: Rows, situation: Situation, way: Way, before: str, after: str) -> str:
    return f"{before}{pick(rows, str(way), {WHAT_HAPPENS: WHAT[situation]})}{after}"


def _speed(rows: Rows, way: Way, what: str) -> str:
    loads = {}
    for row in rows:
        said, _, load = str(row[WHAT_HAPPENS]).partition(", ")
        if said == TAKEN and not load.endswith(NOT_DURABLE):
            loads[load] = pick([row], str(way), {})
    if not loads:
        raise LookupError("no row has a speed")
    return f"{TAKEN}, {what}: {', '.join(f'{taken} ({load})' for load, taken in loads.items())}"


def played(situation: Situation, way: Way, before: str, after: str = "") -> Figure:
    """What the lab of the queue says of a situation in a way, between words that say what it is."""
    return Figure(LAB, partial(_said, situation=situation, way=way, before=before, after=after), QUEUE)


def speed(way: Way, what: str) -> Figure:
    """What it says of the speed of a way, by how many messages wait; `what` says how they are acknowledged."""
    return Figure(LAB, partial(_speed, way=way, what=what), QUEUE)


FIGURES: Figures = {
    Need.FAST: [Figure(OVERLOAD, partial(behind, name=BROKER), QUEUE)],
    Need.DIES: [played(Situation.REPEATED, Way.QUEUE, "consumers die behind their work: ")],
    Need.LATER: [played(Situation.LATER, Way.QUEUE, "a new consumer finds ", f" of {COPIED}")],
    Need.ORDER: [played(Situation.STORY, Way.QUEUE, "consumer 2 dies at m3, and consumer 1 works on ")],
    Need.PARALLEL: [
        played(Situation.BALANCE, Way.QUEUE, "two consumers share: "),
        played(Situation.POISON, Way.QUEUE, "deaths by a message that kills: "),
    ],
    Need.REPLAY: [played(Situation.EXPLICIT, Way.QUEUE, "of m1 to m5 only what was not acknowledged comes again: ")],
    Need.COST: [speed(Way.QUEUE, "acknowledged one by one")],
}
