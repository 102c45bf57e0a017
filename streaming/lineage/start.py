"""The stream's lineage, if it is asked for: without the setting it costs nothing.

Data flow: the stream's start, its micro-batches and its end -> streaming/lineage/of_stream
Run: DAYBREAK_LINEAGE=/tmp/lineage daybreak up
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from infra.lineage.start import begun
from infra.settings import settings

if TYPE_CHECKING:
    from streaming.lineage.of_stream import StreamRun

PROGRAM = "stream"


class Said:
    """What the stream says of itself while it runs; nothing if nobody asks."""

    def __init__(self, run: "StreamRun | None" = None) -> None:
        self._run = run

    def know(self, session: SparkSession, versions: Mapping[str, str]) -> None:
        """Find out which columns those of the views come from, and say it."""
        if self._run:
            self._run.know(session, versions)

    def at(self, finished: Mapping[str, float] | None) -> None:
        """The stream runs; `finished`: its last micro-batch."""
        if self._run:
            self._run.at(finished)


@contextmanager
def of_stream() -> Iterator[Said]:
    """What is done in this block is one run of the stream."""
    with begun(settings(), PROGRAM) as lineage:
        if lineage is None:
            yield Said()
            return
        from streaming.lineage.of_stream import StreamRun

        with StreamRun(lineage) as run:
            yield Said(run)
