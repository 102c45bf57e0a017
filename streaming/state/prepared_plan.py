"""A Spark plan that is made once, and run again whenever its inputs hold other rows.

Data flow: Arrow rows -> a block of Spark's store for each input -> the same physical plan -> Arrow
Run: pytest tests/streaming/test_standing_plan.py

To plan a dozen views takes Spark many times as long as to run them on the rows of one micro-batch. Spark plans a DataFrame
once, however often it is collected, and reads an RDD anew each time. So an input here is an RDD over a block, which `put`
replaces, as the receivers of Spark Streaming did. What a plan keeps from one run to the next would be stale: the files of a
shuffle, a broadcast table, the result of a subquery. A plan with one of them is made anew for each run.
"""

from collections.abc import Callable, Iterator
from itertools import count
from tempfile import NamedTemporaryFile
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from infra.failures import TransientFailure

KEEP_RESULTS = ("Exchange", "AdaptiveSparkPlan", "Subquery", "InMemoryTableScan")
"""In the class names of the plan's nodes that keep something between two runs."""
NO_LIMIT = f"{(1 << 63) - 1}b"
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # Else Spark takes an RDD for too large to be joined in one partition.
    "spark.sql.defaultSizeInBytes": "1m",
    "spark.sql.maxSinglePartitionBytes": NO_LIMIT,
    # Else it makes an RDD of 48 MB of Arrow, in place of rows.
    "spark.sql.execution.arrow.localRelationThreshold": NO_LIMIT,
}
MANY = 1000
"""Rows that are worth two calls of the JVM to be rid of."""
_numbers = count()


def standing_session(session: SparkSession) -> SparkSession:
    """A session in which plans over Inputs need no exchange, not even for a join: all their rows are in one partition."""
    own = session.newSession()
    for name, value in SETTINGS.items():
        own.conf.set(name, value)
    return own


class Input:
    """Rows of one schema that can be replaced, and a DataFrame of them, of one partition."""

    def __init__(self, session: SparkSession, schema: StructType) -> None:
        self._session, self._schema = session, schema
        jvm: Any = session.sparkContext._jvm
        gateway: Any = session.sparkContext._gateway
        spark = session.sparkContext._jsc.sc()
        self._nothing = jvm.PythonUtils.toSeq([])
        self._tag = jvm.scala.reflect.ClassTag.Any()
        self._level = jvm.org.apache.spark.storage.StorageLevel.MEMORY_AND_DISK()
        self._blocks = spark.env().blockManager()
        self._id = jvm.org.apache.spark.storage.StreamBlockId(0, next(_numbers))
        ids = gateway.new_array(jvm.org.apache.spark.storage.BlockId, 1)
        ids[0] = self._id
        self._rows = -1
        self._replace(self._nothing.iterator(), 0)
        rdd = jvm.org.apache.spark.rdd.BlockRDD(spark, ids, self._tag)
        java = session._jsparkSession
        of_spark = java.parseDataType(schema.json())
        self.frame = DataFrame(java.internalCreateDataFrame(rdd, of_spark, False), session).coalesce(1)

    def put(self, rows: pa.Table) -> None:
        """Replace the rows; columns are those of the schema, in its order."""
        if rows.num_rows:
            self._replace(self._in_spark(rows).iterator(), rows.num_rows)
        elif self._rows:
            self._replace(self._nothing.iterator(), 0)

    def release(self) -> None:
        """Give up the rows if they are many: until they are replaced, their room is needed for other things."""
        if self._rows > MANY:
            self._replace(self._nothing.iterator(), 0)

    def drop(self) -> None:
        """Forget the rows, and the input with them."""
        self._blocks.removeBlock(self._id, True)

    def _in_spark(self, rows: pa.Table) -> Any:
        """Spark's own rows of an Arrow table: what `createDataFrame` does, without its checks, in half the time."""
        spark = self._session.sparkContext
        sql = cast(Any, spark._jvm).PythonSQLUtils
        with NamedTemporaryFile(dir=spark._temp_dir) as file:
            with pa.ipc.new_stream(file, rows.schema) as stream:
                stream.write_table(rows.combine_chunks())
            file.flush()
            batches = sql.readArrowStreamFromFile(file.name)
        frame = sql.toDataFrame(batches, self._schema.json(), self._session._jsparkSession)
        return frame.queryExecution().analyzed().data()

    def _replace(self, found: Any, number: int) -> None:
        if self._rows >= 0:
            self._blocks.removeBlock(self._id, True)
        if not self._blocks.putIterator(self._id, found, self._level, True, self._tag):
            raise TransientFailure(f"Spark's block store did not take {number:,} rows")
        self._rows = number


class StandingPlan:
    """The plan of the frame that `build` makes of Inputs."""

    def __init__(self, build: Callable[[], DataFrame]) -> None:
        self._build = build
        self._frame = build()
        self.stands = not keeps_results(self._frame)
        """Is the plan made once? Else it is made anew for each run."""

    def run(self) -> pa.Table:
        """The frame's rows now."""
        return (self._frame if self.stands else self._build()).toArrow()


def keeps_results(frame: DataFrame) -> bool:
    """Would a second run of the frame's plan use what the first one left?"""
    return any(kept in name for name in nodes(frame._jdf.queryExecution().executedPlan()) for kept in KEEP_RESULTS)


def nodes(plan: Any) -> Iterator[str]:
    """The class names of a physical plan's nodes. Its text may be cut off, by a setting of another session."""
    yield plan.getClass().getSimpleName()
    for below in (plan.children(), plan.subqueries()):
        for place in range(below.size()):
            yield from nodes(below.apply(place))
