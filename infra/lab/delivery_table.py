"""What the delivery lab shows: its table, its sentence, and the promises that were not kept.

Data flow: Delivery per mode -> rows, sentences
Run: daybreak lab delivery
"""

from collections.abc import Sequence

from infra.lab.delivery import Delivery
from infra.lab.delivery_consumer import Mode
from infra.lab.result import Row

CONSUMER, LOST, DOUBLED, RECORDS, KILLS = "consumer", "lost", "doubled", "records", "kills"
ORDER = {
    Mode.AT_MOST_ONCE: "commit, then write",
    Mode.AT_LEAST_ONCE: "write, then commit",
    Mode.EXACTLY_ONCE: "both in one transaction",
}
NEVER = {
    Mode.AT_MOST_ONCE: ("doubled",),
    Mode.AT_LEAST_ONCE: ("lost",),
    Mode.EXACTLY_ONCE: ("lost", "doubled"),
}
"""What each mode promises never to do to a record."""


def rows(found: Sequence[Delivery]) -> list[Row]:
    """A row per mode."""
    return [
        {
            CONSUMER: one.mode,
            LOST: one.counts.lost,
            DOUBLED: one.counts.doubled,
            "rolled back": one.rolled_back,
            RECORDS: one.counts.sent,
            KILLS: one.kills,
            "steps": ORDER[one.mode],
        }
        for one in found
    ]


def shows(found: Sequence[Delivery]) -> str:
    """The measured figures in one sentence."""
    each = ", ".join(
        f"{one.mode} lost {_number(one.counts.lost)} and doubled {_number(one.counts.doubled)}" for one in found
    )
    return (
        f"Of {found[0].counts.sent:,} records, read by consumers that were killed {found[0].kills} times each, {each}."
    )


def broken(found: Sequence[Delivery]) -> list[str]:
    """A sentence for each promise that was not kept."""
    return [
        f"{one.mode} {what} {number} records, and must never do so"
        for one in found
        for what, number in (("lost", one.counts.lost), ("doubled", one.counts.doubled))
        if number and what in NEVER[one.mode]
    ]


def _number(count: int) -> str:
    return f"{count:,}" if count else "none"
