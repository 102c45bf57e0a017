"""Programs that have a problem: one that fails, has ended, or waits for something for too long.

Data flow: Status per program -> Problem per program that has one -> `<home>/problems/look.programs.json`
Run: daybreak status --problems
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from infra.durations import span
from infra.problems import Problem, keep
from infra.services.status import Condition, Status
from infra.settings import Settings

PROGRAMS = "look.programs"
"""The source of these problems: `daybreak status`."""


def is_up(s: Settings, found: Sequence[Status]) -> bool:
    """Does any program run? Then the problems that programs have now are kept; else what was known stands."""
    if not any(one.pid for one in found):
        return False
    # On a full disk nothing is written down; the disk is told by a look of its own.
    with suppress(OSError):
        keep(s, PROGRAMS, of_programs(found, s.still_seconds))
    return True


def of_programs(found: Iterable[Status], still_seconds: float) -> list[Problem]:
    """A problem per program that fails, has ended by itself, or has been up for `still_seconds` and waits nevertheless."""
    return [problem for one in found if (problem := _of(one, still_seconds))]


def _of(one: Status, still_seconds: float) -> Problem | None:
    again = f"daybreak logs {one.name}; mend the cause, then: daybreak restart {one.name}"
    if one.condition is Condition.FAILED:
        return Problem(f"program.failed/{one.name}", f"{one.name} waits for {one.waits_for}", again)
    if one.condition is Condition.FAILING:
        return Problem(f"program.failing/{one.name}", f"{one.name} is failing: {one.waits_for}", again)
    if one.condition is Condition.WAITING and (one.up_seconds or 0) >= still_seconds:
        what = f"{one.name} has been up for {span(one.up_seconds or 0)} and waits for {one.waits_for}"
        return Problem(f"program.waits/{one.name}", what, again)
    return None
