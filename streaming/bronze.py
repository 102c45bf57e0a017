"""Bronze: every Kafka record as it came, once.

Data flow: Kafka -> bronze/events
Run: daybreak query "SELECT topic, partition, max(offset) FROM bronze.events GROUP BY topic, partition"
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from infra.lake.tables import Table

RECORD = StructType(
    [
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("arrival", TimestampType()),
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField(
            "headers",
            ArrayType(StructType([StructField("key", StringType()), StructField("value", BinaryType())])),
        ),
    ]
)
"""One Kafka record; `arrival` is the broker's clock (LogAppendTime)."""

BATCH = [StructField("batch_id", LongType()), StructField("generation", StringType())]
"""Which micro-batch of which checkpoint wrote a row."""

BRONZE = Table("bronze", "events", StructType(RECORD.fields + BATCH))


def records(kafka: DataFrame) -> DataFrame:
    """The columns of RECORD from Spark's Kafka source (streaming or static, with headers included)."""
    return kafka.select("topic", "partition", "offset", F.col("timestamp").alias("arrival"), "key", "value", "headers")
