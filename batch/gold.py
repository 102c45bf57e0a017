"""Build and test gold for the days that may have changed since its last build.

Data flow: settlements, the last build of gold -> the unchanged days -> dbt builds and tests all the others
Run: python -m batch.gold build
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta

from infra.failures import PermanentFailure, reported
from infra.lake import reader
from infra.problems import Problem, keep
from infra.registry import DEFAULT
from infra.settings import Settings, settings
from infra.sql.gold import Verb, run
from streaming.hooks import for_gold

CLOCKS = timedelta(minutes=1)
"""By how much the clocks of the machine that settles and of the machine that builds may differ."""

SOURCE = "gold"
"""Of the problem that a build leaves."""


@contextmanager
def kept(s: Settings) -> Iterator[None]:
    """A build that is refused, e.g. by a test of dbt, is a problem until the next good one."""
    try:
        yield
    except PermanentFailure as failure:
        again = "what the sentence says (the build's output has more); then: python -m batch.gold build"
        keep(s, SOURCE, [Problem("gold.build", f"gold was not built to its end: {failure}", again)])
        raise
    keep(s, SOURCE, [])


def unchanged_days(s: Settings) -> list[str]:
    """The settled days whose settlement is older, by at least CLOCKS, than the start of the last successful build."""
    # Imported here, so that a project that does not load is one sentence.
    from batch.settlement.settlements import SETTLEMENTS
    from streaming.monitor.freshness import BUILDS

    if not (reader.exists(s, BUILDS) and reader.exists(s, SETTLEMENTS.id)):
        return []
    began = reader.read(s, BUILDS, ["started_at"]).column("started_at").to_pylist()
    settled = reader.read(s, SETTLEMENTS.id, ["day", "settled_at"]).to_pylist()
    return _before(max(began, default=None), [(str(one["day"]), one["settled_at"]) for one in settled])


def _before(began: datetime | None, settled: Sequence[tuple[str, datetime]]) -> list[str]:
    return sorted(day for day, at in settled if began is not None and at < began - CLOCKS)


if __name__ == "__main__":
    with reported():
        if sys.argv[1:] not in [[verb.value] for verb in Verb]:
            raise PermanentFailure(f"usage: python -m batch.gold {'|'.join(Verb)}")
        verb = Verb(sys.argv[1])
        if settings().project != DEFAULT:
            # It takes a second to import.
            from batch.catalog import composed

            composed.write(settings())
        with nullcontext() if verb is Verb.DOCS else kept(settings()):
            run(verb, unchanged_days, for_gold)
