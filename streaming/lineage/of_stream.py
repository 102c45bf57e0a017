"""The stream as one of OpenLineage's runs: from its start to its end, and meanwhile a word a minute at most.

Data flow: topics, the stream's tables, its micro-batches -> START, RUNNING ..., COMPLETE or FAIL
Run: DAYBREAK_LINEAGE=/tmp/lineage daybreak up

A stream that is killed says no end, like any program; the next one is a run of its own.
"""

import time
from collections.abc import Mapping

from openlineage.client.event_v2 import RunState
from pyspark.sql import SparkSession

from infra.lineage.datasets import Columns, Data, in_kafka, of_table
from infra.lineage.runs import Lineage, Told, Work
from infra.settings import settings
from streaming.all_tables import speed_tables, stream_tables
from streaming.lineage.columns import of_views, placed
from streaming.lineage.layers import in_topics, of_events, topics
from streaming.tables.silver import SILVER

EVERY = 60
"""Seconds between two events of a stream that has micro-batches, however many it has."""
STREAM = Work(
    "stream", "Reads Kafka, writes bronze and silver, and keeps the views current.", "STREAMING", "QUERY", EVERY
)


class StreamRun(Told):
    """A run of the stream."""

    def __init__(self, lineage: Lineage) -> None:
        super().__init__(lineage, lineage.began(STREAM))
        self._said_at = time.monotonic()
        self._batch: float | None = None

    def _begins(self) -> None:
        with self._lineage.unharmed():
            self._run.say(RunState.START, None, *_data())

    def _ends(self, state: RunState, why: str | None) -> None:
        self._say(state, why)

    def know(self, session: SparkSession, versions: Mapping[str, str]) -> None:
        """Say which columns of the topics those of the tables come from."""
        with self._lineage.unharmed():
            s, speed = settings(), speed_tables()
            views = {
                speed[name].id: placed(one, in_topics(s))
                for name, one in of_views(session, s, versions, self._lineage.emitter.tell).items()
            }
            self._run.say(RunState.RUNNING, None, *_data(views | {SILVER.id: of_events(s)}))

    def at(self, finished: Mapping[str, float] | None) -> None:
        """Say that it runs, if it has had a micro-batch and was silent for a minute."""
        if finished is not None and finished["id"] != self._batch and time.monotonic() - self._said_at >= EVERY:
            self._said_at, self._batch = time.monotonic(), finished["id"]
            self._say(RunState.RUNNING)

    def _say(self, state: RunState, why: str | None = None) -> None:
        """Say it with the names of what is read and written alone: the start has told the rest."""
        with self._lineage.unharmed():
            inputs, outputs = _data()
            self._run.say(state, why, [one.bare() for one in inputs], [one.bare() for one in outputs])


def _data(columns: Mapping[str, Columns] | None = None) -> tuple[list[Data], list[Data]]:
    s = settings()
    alerts = Data(in_kafka(s, s.alerts_topic), description="Alerts, for consumers.")
    return topics(s), [*(of_table(s, one, (columns or {}).get(one.id)) for one in stream_tables()), alerts]
