"""The lineage of a build of gold: one run of dbt, and in it what OpenLineage's own processor says of dbt's artifacts.

Data flow: manifest.json, run_results.json of dbt -> runs per model and test -> the place of DAYBREAK_LINEAGE
Run: DAYBREAK_LINEAGE=/tmp/lineage python -m batch.gold build
Source: the command `dbt-ol` of openlineage-dbt, which starts dbt itself; here gold has, with its lease and its retries.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from infra.lineage.start import begun
from infra.settings import Settings

if TYPE_CHECKING:
    from infra.sql.lineage_of_dbt import Build

PROGRAM = "gold"


class Said:
    """What a build says of itself; nothing if nobody asks."""

    def __init__(self, build: "Build | None" = None) -> None:
        self._build = build

    def ran(self) -> None:
        """dbt has ended once: its artifacts tell what it did."""
        if self._build:
            self._build.ran()


@contextmanager
def of_build(s: Settings) -> Iterator[Said]:
    """What is done in this block is one build of gold."""
    with begun(s, PROGRAM) as lineage:
        if lineage is None:
            yield Said()
            return
        from infra.sql.lineage_of_dbt import Build

        with Build(s, lineage) as build:
            yield Said(build)
