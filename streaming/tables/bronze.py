"""Bronze: every Kafka record, unchanged and exactly once.

Data flow: Kafka -> bronze/events
Run: daybreak query "SELECT topic, partition, max(offset) FROM bronze.events GROUP BY topic, partition"
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    StringType,
    StructField,
    StructType,
)

from infra.lake.columns import column, struct
from infra.lake.tables import Table

HEADER = StructType([StructField("key", StringType()), StructField("value", BinaryType())])

RECORD = struct(
    column("topic", "string", "Kafka topic"),
    column("partition", "int", "Kafka partition"),
    column("offset", "bigint", "Offset in the partition"),
    column("arrival", "timestamp", "When the broker took the record (LogAppendTime, UTC)"),
    column("key", "binary", "Kafka key as sent"),
    column("value", "binary", "Bytes as sent"),
    column("headers", ArrayType(HEADER), "Kafka headers as sent"),
)
"""One Kafka record; `arrival` is the broker's clock (LogAppendTime)."""

WEIGHT = (
    "ifnull(octet_length(key), 0) + ifnull(octet_length(value), 0L)"
    " + ifnull(aggregate(headers, 0L, (all, one) -> all + ifnull(octet_length(one.value), 0)), 0)"
)
"""SQL over the columns of RECORD: the bytes that were sent."""

BATCH = [
    column("batch_id", "bigint", "Micro-batch that wrote the row"),
    column("generation", "string", "Generation of the checkpoint that wrote the row; a rebuild starts a new one"),
]
"""Which micro-batch of which checkpoint wrote a row."""

BRONZE = Table(
    "bronze",
    "events",
    struct(*RECORD.fields, *BATCH),
    description="One Kafka record, unchanged.",
)


def records(kafka: DataFrame) -> DataFrame:
    """The columns of RECORD from Spark's Kafka source (streaming or static, with headers included)."""
    return kafka.select("topic", "partition", "offset", F.col("timestamp").alias("arrival"), "key", "value", "headers")
