"""Metrics of the programs, of what is wrong, and of what the stream keeps in memory and on disk.

Data flow: Status per program, Problem, the stream's status file -> Metric
Run: daybreak metrics
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from prometheus_client.metrics_core import Metric

from infra.metrics.family import Family
from infra.problems import Problem
from infra.services.processes import MEGABYTE
from infra.services.status import Condition, Status

OF_PROGRAM, OF_KIND, OF_VIEW = ("program",), ("kind",), ("view",)

CONDITION = Family(
    "daybreak_program_condition",
    "1 for the condition of the program in daybreak status, 0 for all others",
    ("program", "condition"),
)
MEMORY = Family("daybreak_program_memory_bytes", "Resident memory of the program and what it started", OF_PROGRAM)
PEAK = Family("daybreak_program_memory_peak_bytes", "Sum of the peaks of each of its processes", OF_PROGRAM)
UP = Family("daybreak_program_uptime_seconds", "Time since its start", OF_PROGRAM)
NOTICES = Family("daybreak_program_notices", "Sentences about it that stop nothing, such as much bad input", OF_PROGRAM)

KNOWN = Family("daybreak_problems_known", "All problems that daybreak status --problems lists")
OF_EACH_KIND = Family("daybreak_problems", "Problems by kind; a kind without problems has no sample", OF_KIND)
SINCE = Family("daybreak_problem_since_timestamp_seconds", "When the oldest problem of the kind was found", OF_KIND)

HELD_ROWS = Family("daybreak_stream_held_rows", "Rows that the stream keeps for a view", OF_VIEW)
HELD_BYTES = Family("daybreak_stream_held_bytes", "Size of the rows that the stream keeps for a view", OF_VIEW)


def programs(found: Sequence[Status]) -> Iterator[Metric]:
    """Each program's condition and memory."""
    yield CONDITION.of(((one.name, each), float(one.condition is each)) for one in found for each in Condition)
    yield MEMORY.of(((one.name,), _bytes(one.memory_mb)) for one in found)
    yield PEAK.of(((one.name,), _bytes(one.peak_mb)) for one in found)
    yield UP.of(((one.name,), one.up_seconds) for one in found)
    yield NOTICES.of(((one.name,), len(one.notices)) for one in found)


def problems(found: Iterable[Problem]) -> Iterator[Metric]:
    """How many problems of each kind there are, and since when. An id is a kind, and what has it: `log.gap/TOPIC-0`."""
    counted = Counter[str]()
    since: dict[str, float] = {}
    for one in found:
        kind = one.id.partition("/")[0]
        counted[kind] += 1
        if one.since:
            since[kind] = min(one.since.timestamp(), since.get(kind, one.since.timestamp()))
    yield KNOWN.one(counted.total())
    yield OF_EACH_KIND.of(((kind,), number) for kind, number in sorted(counted.items()))
    yield SINCE.of(((kind,), at) for kind, at in sorted(since.items()))


def held(views: Mapping[str, tuple[int, int]]) -> Iterator[Metric]:
    """Rows and bytes that the stream keeps, per view."""
    yield HELD_ROWS.of(((view,), rows) for view, (rows, _) in views.items())
    yield HELD_BYTES.of(((view,), size) for view, (_, size) in views.items())


def _bytes(megabytes: int | None) -> int | None:
    return None if megabytes is None else megabytes * MEGABYTE
