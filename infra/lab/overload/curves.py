"""What each case of the lab of overload was like over time.

Data flow: Outcome after Outcome -> Curves, which the result keeps and the chart draws
Run: daybreak lab overload
"""

from collections.abc import Sequence

from infra.lab.overload.measure import Outcome
from infra.lab.overload.run import Sample
from infra.lab.overload.table import LOST, NOT_TAKEN, SIZES, added
from infra.lab.result import Curves

MADE, PROCESSED, DELAY = "made", "processed", "delay (s)"


def curves(found: Sequence[Outcome], rate: float) -> list[Curves]:
    """By case, the orders made (`rate` per second), processed, lost and not taken by then, the delay (s) of the order that was
    processed last, and what was added (MB)."""
    return [
        Curves(
            f"{one.case.policy}: {one.case.name}",
            [round(sample.seconds, 2) for sample in one.samples],
            {
                MADE: [_made(one, sample, rate) for sample in one.samples],
                PROCESSED: [sample.processed for sample in one.samples],
                LOST: list(one.losses),
                NOT_TAKEN: [_not_taken(one, sample, rate) for sample in one.samples],
                DELAY: [round(sample.delay_ms / 1000, 2) for sample in one.samples],
                **{name: [round(value, 2) for value in added(one, name)] for name in SIZES if added(one, name)},
            },
        )
        for one in found
    ]


def _made(one: Outcome, sample: Sample, rate: float) -> int:
    return min(round(sample.seconds * rate), one.made)


def _not_taken(one: Outcome, sample: Sample, rate: float) -> int:
    """What was refused; and what was made when its producer was dead."""
    gone = one.died and not sample.producer
    return max(_made(one, sample, rate) - sample.sent, 0) if gone else sample.refused
