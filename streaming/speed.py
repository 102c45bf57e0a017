"""Speed: the log of what the stream said of each view, and its current answer.

Data flow: rows of a view, as a micro-batch changed them -> speed/<view>
Run: daybreak query "SELECT * FROM speed.order_totals ORDER BY as_of DESC LIMIT 5"
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType, TimestampType

from infra.lake.tables import Table
from streaming.silver import EVENT, topic_events
from streaming.views.view import View

SAID = [
    StructField("is_final", BooleanType()),
    StructField("as_of", TimestampType()),
    StructField("batch_id", LongType()),
    StructField("generation", StringType()),
    StructField("definition", StringType()),
]
"""Had the watermark passed the row's close; when the stream said it, in which micro-batch of which checkpoint, and by which
version of the view."""


def view_schema(session: SparkSession, view: View) -> StructType:
    """The columns of the view's rows, with their day."""
    events = session.createDataFrame([], EVENT)
    return view.rows({topic: topic_events(events, topic) for topic in view.inputs}).schema


def speed_table(session: SparkSession, view: View) -> Table:
    """speed/<view>: the log of what the stream said."""
    columns = [StructField(field.name, field.dataType) for field in view_schema(session, view)]
    return Table("speed", view.name, StructType(columns + SAID))


def latest_rows(view: View, speed: DataFrame) -> DataFrame:
    """The current answer of a speed log: per key and day the preferred row, and of its repeats the latest."""
    return view.answer(speed, F.col("as_of").desc(), F.col("batch_id").desc())
