"""What the compaction lab shows: its table, its sentence, and the promises that were not kept.

Data flow: Rebuilt after Rebuilt, Late -> rows, sentences
Run: daybreak lab compaction
"""

from collections.abc import Sequence

from infra.lab.compaction import Late, Rebuilt
from infra.lab.result import Row

READ, RECORDS, RESULT = "read", "records", "result"
GONE = "none"
"""The records of a consumer whose next one was deleted."""


def rows(found: Sequence[Rebuilt], late: Late) -> list[Row]:
    """A row per way to rebuild the state, and one for the consumer that came too late."""
    whole = found[0].state
    return [
        *(
            {
                READ: one.what,
                RECORDS: one.records,
                "tombstones": one.tombstones,
                "keys": len(one.state),
                RESULT: "the same state" if one.state == whole else "another state",
            }
            for one in found
        ),
        {
            READ: f"from offset {late.wanted}, after retention",
            RECORDS: GONE,
            "tombstones": "",
            "keys": "",
            RESULT: f"{late.said}: {late.missed:,} records are gone, the first left is {late.first_left:,}",
        },
    ]


def shows(found: Sequence[Rebuilt], late: Late) -> str:
    """The measured figures in one sentence."""
    whole, *others = found
    same = [one for one in others if one.state == whole.state]
    ways = " and ".join(f"{one.records:,} records of {one.what}" for one in others)
    return (
        f"The state of {len(whole.state)} keys is in {whole.records:,} records of {whole.what}, and in {ways}: "
        f"{'all' if len(same) == len(others) else len(same)} give the same; a consumer that came after retention was told "
        f"{late.said}, and missed {late.missed:,}."
    )


def broken(found: Sequence[Rebuilt], late: Late) -> list[str]:
    """A sentence for each promise that was not kept."""
    whole = found[0].state
    wrong = [f"{one.what} gives another state than the whole log" for one in found[1:] if one.state != whole]
    return wrong + ([] if late.said == "_AUTO_OFFSET_RESET" else ["a consumer was not told that its offset is gone"])
