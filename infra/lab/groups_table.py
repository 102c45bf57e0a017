"""What the groups lab shows: its table, its sentence, and the promises that were not kept.

Data flow: Step after step -> rows, sentences
Run: daybreak lab groups
"""

from collections.abc import Mapping, Sequence

from infra.lab.groups import Step
from infra.lab.result import Row

STEP, GROUP, LAG, READ = "step", "group", "lag", "records read"


def rows(steps: Sequence[Step]) -> list[Row]:
    """A row per step and group."""
    return [
        {
            STEP: step.what,
            GROUP: step.group,
            "read again": step.doubled,
            "lost": step.lost,
            LAG: step.lag,
            READ: "; ".join(_member(name, step.members[name]) for name in sorted(step.members)),
            "committed": _offsets(step.committed),
            "went on at": _offsets(step.went_on),
        }
        for step in steps
    ]


def shows(steps: Sequence[Step]) -> str:
    """The measured figures in one sentence."""
    first = [step for step in steps if step.what == steps[0].what]
    over = [step for step in steps if step.committed]
    idle = sorted({name for step in steps for name, read in step.members.items() if not read})
    late = max(steps, key=lambda step: step.lag)
    behind = " and ".join(
        f"group {step.group} fell {step.lag or 'no'} records behind" for step in steps if step.what == late.what
    )
    said = (
        f"{' and '.join(f'group {step.group} read {_total(step):,}' for step in first)} records of the same log; "
        f"successors went on at the committed offsets, read {sum(step.doubled for step in over)} records again and lost "
        f"{sum(step.lost for step in steps) or 'none'}; {' and '.join(idle) or 'nobody'} stayed idle; and when a member hung, "
        f"{behind}."
    )
    return said[0].upper() + said[1:]


def broken(steps: Sequence[Step]) -> list[str]:
    """A sentence for each promise that was not kept."""
    found = [f"group {step.group} lost {step.lost} records in the step {step.what!r}" for step in steps if step.lost]
    return found + [
        f"in the step {step.what!r} group {step.group} went on at {_offsets(step.went_on)}, and had committed "
        f"{_offsets(step.committed)}"
        for step in steps
        if step.went_on != step.committed
    ]


def _total(step: Step) -> int:
    return sum(sum(read.values()) for read in step.members.values())


def _member(name: str, read: Mapping[int, int]) -> str:
    parts = ", ".join(f"{count:,} of p{partition}" for partition, count in sorted(read.items()))
    return f"{name}: {parts or 'none, idle'}"


def _offsets(offsets: Mapping[int, int]) -> str:
    return ", ".join(f"p{partition}: {offset}" for partition, offset in sorted(offsets.items()))
