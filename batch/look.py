"""Look at the platform for problems that no check has kept: what fails, and what does nothing while there is work.

Data flow: looks -> `<home>/problems/look.<name>.json`; all kept problems -> list
Run: daybreak status --problems

A look that cannot be made, e.g. because Kafka does not answer, leaves what it found before as it stands, and says so.
"""

from collections.abc import Callable, Iterable, Mapping

from infra import problems
from infra.failures import PermanentFailure, TransientFailure
from infra.problems import Problem
from infra.settings import Settings

Look = Callable[[Settings], Iterable[Problem]]

LOOKS: Mapping[str, Look] = {}
"""Looks by name, of a platform that is up."""


def look(s: Settings, looks: Mapping[str, Look] | None = None) -> list[Problem]:
    """Look now, and return every problem, the oldest first."""
    for name, own in (LOOKS if looks is None else looks).items():
        try:
            problems.keep(s, f"look.{name}", own(s))
        except (PermanentFailure, TransientFailure) as failure:
            what = f"what {name} may have cannot be seen: {failure}"
            problems.add(s, f"look.{name}", [Problem(f"look.failed/{name}", what, "daybreak status")])
    return problems.problems(s)
