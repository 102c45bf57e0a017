"""A store as Spark tables: what is put into its feeds is taken by the job that reads its leaves.

Data flow: Arrow tables of the feeds -> blocks -> daybreak.state.Source (Java, in a task) -> a frame per leaf
Run: pytest tests/streaming/test_view_state.py
Source: StateStore of Spark's structured streaming, on RocksDB, with changelog checkpoints.

A version is the number of steps that the store has taken. A step that is taken again from the same version gives the same.
"""

from collections.abc import Sequence
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from streaming.state.layout import CONTROL, FILL, FILLED, LOOK, MARKS, SPARE, STEP, Layout, Leaf
from streaming.state.prepared_plan import Input, StandingPlan

SETTINGS = {
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage": "true",
    # Of all stores of an executor. Indexes and filters of the files have to fit into their share of it: where they did
    # not (128, 0.1), a record cost 0.59 ms of CPU as soon as rows became final, and not 0.35.
    "spark.sql.streaming.stateStore.rocksdb.maxMemoryUsageMB": "256",
    "spark.sql.streaming.stateStore.rocksdb.highPriorityPoolRatio": "0.4",
    # A file beside each file. What cannot be read is made anew.
    "spark.sql.streaming.checkpoint.fileChecksum.enabled": "false",
}


class PartStore:
    """The store of a layout's kinds in a folder that every executor reaches; the session has SETTINGS.

    `packed`: a frame of PACKED of one partition, where a task makes what the feeds have; else `put` is given it.
    """

    def __init__(self, session: SparkSession, layout: Layout, folder: str, packed: DataFrame | None = None) -> None:
        self.layout = layout
        self._control = Input(session, CONTROL)
        self._feeds: list[Input] = []
        feeds = [] if packed is None else [packed]
        if packed is None:
            # The marks are the last one.
            self._feeds = [Input(session, one) for one in (*map(layout.schema, layout.feeds), MARKS)]
            feeds = [one.frame for one in self._feeds]
        self._session = session
        rdds = [cast(Any, one)._jdf.queryExecution().toRdd() for one in (self._control.frame, *feeds)]
        self.frames = dict(zip(layout.leaves, self._of_leaves(rdds, folder, packed is not None), strict=True))
        told = self.frames[Leaf("told")]
        self._filling = StandingPlan(lambda: told)

    def put(
        self,
        tables: Sequence[pa.Table],
        version: int,
        watermark: pa.Scalar | None,
        after: pa.Scalar | None,
        more_comes: bool = False,
    ) -> None:
        """Replace what the feeds have: a table each, and the marks behind; the next job takes them from `version` on.

        `more_comes`: another micro-batch is certain, so parts that are LARGE may be given to their views then.
        """
        self._put(tables, (version, micros_of(watermark), micros_of(after), SPARE if more_comes else STEP))

    def fill(self, tables: Sequence[pa.Table], version: int, watermark: pa.Scalar | None) -> None:
        """Take a step that gives nothing out: of many events or rows that are not new."""
        self._put(tables, (version, micros_of(watermark), None, FILL))
        self._filling.run()
        self.release()

    def filled(self, version: int, watermark: pa.Scalar | None) -> None:
        """Take the step behind the last `fill`: what large parts had not given to their views is given with the next one."""
        self._put([], (version, micros_of(watermark), None, FILLED))
        self._filling.run()

    def release(self) -> None:
        """Give up what the feeds have, when it was taken."""
        for one in self._feeds[:-1]:
            one.release()

    def look(self, version: int) -> None:
        """Read the version. Fails where the store does not have it."""
        self._put([], (version, None, None, LOOK))
        self._filling.run()

    def _put(self, tables: Sequence[pa.Table], control: tuple[int | None, ...]) -> None:
        self._control.put(pa.table([[value] for value in control], schema=to_arrow_schema(CONTROL)))
        for own, table in zip(self._feeds, tables, strict=bool(tables)):
            own.put(table)

    def _of_leaves(self, feeds: list[Any], folder: str, packed: bool) -> list[DataFrame]:
        session = self._session
        jvm: Any = session.sparkContext._jvm
        java = session._jsparkSession
        spark = session.sparkContext._jsc.sc()
        layout = jvm.daybreak.state.Layout(self.layout.json(folder))
        rdds = jvm.java.util.ArrayList()
        for feed in feeds:
            rdds.add(feed)
        conf = jvm.org.apache.spark.sql.execution.streaming.state.StateStoreConf.apply(java.sessionState().conf())
        hadoop = jvm.org.apache.spark.util.SerializableConfiguration(session.sparkContext._jsc.hadoopConfiguration())
        # Tasks tell it which executor has a store open, and it tells Source. Spark makes it with the first streaming query.
        stores = java.sessionState().streamingQueryManager().stateStoreCoordinator()
        found = []
        for place, leaf in enumerate(self.layout.leaves):
            rdd = jvm.daybreak.state.Source(spark, layout, rdds, packed, place, conf, hadoop, stores)
            schema = java.parseDataType(self.layout.schema(leaf).json())
            found.append(DataFrame(java.internalCreateDataFrame(rdd, schema, False), session).coalesce(1))
        return found


def micros_of(at: pa.Scalar | None) -> int | None:
    """A time in microseconds."""
    return None if at is None else at.cast(pa.int64()).as_py()
