"""What the lab of acknowledgements shows: its table, its sentence, and the promises that were not kept.

Data flow: Outcome after Outcome -> rows, sentences
Run: daybreak lab acks
"""

from collections.abc import Sequence

from infra.lab.acks.figures import Figures
from infra.lab.acks.measure import Outcome
from infra.lab.acks.setting import Setting
from infra.lab.acks.situation import Situation
from infra.lab.result import Row

SITUATION, PRODUCER, ORDERS, LOST = "situation", "producer", "orders", "lost"
P50, BYTES = "p50 (ms)", "bytes on disk"


def rows(found: Sequence[Outcome]) -> list[Row]:
    """A row per situation and producer; `lost` are orders that were acknowledged and are not in the log."""
    return [
        {
            SITUATION: one.situation,
            PRODUCER: one.setting,
            ORDERS: one.figures.sent,
            "acknowledged": one.figures.acknowledged,
            LOST: one.figures.lost,
            "doubled": one.figures.doubled,
            "out of order": one.figures.out_of_order,
            P50: _ms(one.figures.p50_ms),
            "p99 (ms)": _ms(one.figures.p99_ms),
            BYTES: one.figures.bytes,
        }
        for one in found
    ]


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def shows(found: Sequence[Outcome]) -> str:
    """The measured figures in one sentence."""
    deaths = (Situation.KILLED, Situation.PAUSED)
    lost = {setting: [_of(found, one, setting).lost for one in deaths] for setting in Setting}
    safe, numbered = ([_of(found, one, setting) for one in deaths] for setting in (Setting.ALL, Setting.IDEMPOTENT))
    waits = {setting: _ms(_of(found, Situation.WELL, setting).p50_ms) for setting in Setting}
    return (
        f"Of orders that were acknowledged, the leader's deaths cost acks=0 {_number(lost[Setting.NONE][0])} and acks=1 "
        f"{_number(lost[Setting.LEADER][0])}, and {_number(lost[Setting.LEADER][1])} if its followers were behind; with acks=all "
        f"{_number(sum(one.lost for one in safe))} of them were lost, but {_number(sum(one.doubled for one in safe))} stand in "
        f"the log twice and {_number(sum(one.out_of_order for one in safe))} out of order; an idempotent producer has "
        f"{_number(sum(one.lost + one.doubled + one.out_of_order for one in numbered))} of all that, and its acknowledgement "
        f"takes {waits[Setting.IDEMPOTENT]} ms (p50) where acks=1 takes {waits[Setting.LEADER]}."
    )


def broken(found: Sequence[Outcome]) -> list[str]:
    """A sentence for each promise that was not kept.

    Kafka promises that what was acknowledged with acks=all stays as long as one replica in sync lives, and that an idempotent
    producer's records stand in the log once, in their order. Of less it promises nothing: on a busy machine a leader may count as
    dead although it lives.
    """
    wrong = []
    for one in found:
        counts, promised = one.figures, {"lost": False, "doubled": False, "out_of_order": False}
        promised["lost"] = one.setting in (Setting.ALL, Setting.IDEMPOTENT)
        promised["doubled"] = promised["out_of_order"] = one.setting is Setting.IDEMPOTENT
        for what, is_promised in promised.items():
            if (count := getattr(counts, what)) and is_promised:
                wrong.append(
                    f"with {one.setting} {count:,} acknowledged orders are {what.replace('_', ' ')}, and must not be where "
                    f"{one.situation}"
                )
    return wrong


def _of(found: Sequence[Outcome], situation: Situation, setting: Setting) -> Figures:
    return next(one.figures for one in found if one.situation is situation and one.setting is setting)


def _number(count: int) -> str:
    return f"{count:,}" if count else "none"
