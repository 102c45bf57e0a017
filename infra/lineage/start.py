"""Where a program's lineage begins, if there is a place for it: without the setting nothing of OpenLineage is imported.

Data flow: DAYBREAK_LINEAGE -> Lineage, or None
Run: DAYBREAK_LINEAGE=/tmp/lineage daybreak night --date 2026-01-31
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from infra import logs
from infra.problems import Problem, keep, of_source
from infra.settings import Settings

if TYPE_CHECKING:
    from infra.lineage.runs import Lineage

MEND = "see that the place of DAYBREAK_LINEAGE answers, or unset it; no number of the platform depends on it"


@contextmanager
def begun(s: Settings, program: str) -> "Iterator[Lineage | None]":
    """A program's lineage until the end of this block; None: there is none. What goes wrong with it is told and stops nothing."""
    lineage = None
    if not s.lineage:
        # A problem of a place that is not asked for any more.
        told(s, program, None)
    else:
        try:
            # It takes a second to import.
            from infra.lineage.runs import Lineage

            lineage = Lineage(s, program)
        except Exception as failure:
            what = f"lineage cannot begin: {type(failure).__name__}: {failure}"
            logs.line(what, f"daybreak {program}")
            told(s, program, what)
    try:
        yield lineage
    finally:
        if lineage:
            lineage.close()


def told(s: Settings, program: str, what: str | None, lost: int = 0) -> None:
    """Keep the problem of a program's lineage; `what` None: there is none. A home that cannot be written keeps none."""
    source = f"lineage/{program}"
    with suppress(OSError):
        if what:
            keep(s, source, [Problem(f"lineage.events/{program}", what, MEND, lost or None)])
        elif of_source(s, source):
            keep(s, source, [])
