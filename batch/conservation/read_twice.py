"""Name the way out where the stream has read offsets twice: a version before positions outlived an option's absence did.

Data flow: a failed check, speed/progress -> the failure with the command, and a problem until a check is sound
Run: daybreak redefine
"""

from collections.abc import Iterator
from contextlib import contextmanager

from infra.failures import PermanentFailure
from infra.problems import Problem, keep
from infra.settings import settings
from streaming.positions.doubled import read_again

SOURCE = "night.twice"
MEND = "daybreak redefine --no-airflow"


@contextmanager
def named() -> Iterator[None]:
    """A check: its PermanentFailure says so if the stream has read something twice. Progress keeps that after it is mended."""
    try:
        yield
    except PermanentFailure as failure:
        if not (again := read_again()):
            raise
        ranges = ", ".join(map(str, again))
        what = f"an earlier version of the stream has read {ranges} twice, so bronze may have these records twice"
        places = {f"{one.topic}-{one.partition}": one for one in again}
        found = [Problem(f"log.twice/{place}", what, MEND, one.end - one.start) for place, one in places.items()]
        keep(settings(), SOURCE, found)
        raise PermanentFailure(
            f"{failure} If offsets are doubled: {what}; `{MEND}` rebuilds the stream, which removes the second copies."
        ) from failure
    keep(settings(), SOURCE, [])
