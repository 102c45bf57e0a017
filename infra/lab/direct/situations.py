"""What happens to producer and consumers: four situations, the same for every transport.

Data flow: Situation, Run -> what is done to its processes, and when -> Figures
Run: daybreak lab direct

All times are parts of the time that a consumer is away, so that a shorter lab is the same lab.
"""

from enum import StrEnum

from infra.lab.direct.figures import Figures
from infra.lab.direct.run import Run
from infra.lab.processes.job import Death, Place


class Situation(StrEnum):
    """What happens; consumer 1 is well in each of them."""

    WELL = "all are well"
    AWAY = "consumer 2 is away"
    KILLED = "consumer 2 is killed twice"
    PRODUCER = "the producer is killed while consumer 2 is away"


PARTS = {Situation.WELL: 1.2, Situation.AWAY: 7.5, Situation.KILLED: 4, Situation.PRODUCER: 4}
"""How long orders are sent, in fifths of an absence."""
CONSUMERS_NEEDED = {Situation.WELL: 2, Situation.AWAY: 3, Situation.KILLED: 4, Situation.PRODUCER: 3}
PRODUCERS_NEEDED = {Situation.WELL: 1, Situation.AWAY: 1, Situation.KILLED: 1, Situation.PRODUCER: 2}


def count(situation: Situation, rate: float, away: float) -> int:
    """Orders that are sent."""
    return round(PARTS[situation] * rate * away / 5)


def happen(situation: Situation, run: Run, rate: float, away: float) -> Figures:
    """Run a situation, `rate` orders per second and an absence of `away` seconds, and count."""
    part = away / 5
    end = count(situation, rate, away)
    match situation:
        case Situation.WELL:
            run.begin(end)
        case Situation.AWAY:
            run.begin(end)
            run.at(part)
            run.leave(2)
            run.at(part + away)
            run.join(2)
        case Situation.KILLED:
            first, second = (
                Death(round(n * part * rate), place) for n, place in ((1, Place.BEFORE), (2, Place.BEHIND))
            )
            run.begin(end, first)
            run.dies(2)
            run.join(2, second)
            run.dies(2)
            run.join(2)
        case Situation.PRODUCER:
            run.begin(end)
            run.at(part)
            run.leave(2)
            run.at(2 * part)
            run.producer_dies()
            run.at(3 * part)
            run.join(2)
    return run.figures()
