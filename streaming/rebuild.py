"""Rebuild after a lost checkpoint or a changed view: keep bronze and silver, begin a new lineage.

Data flow: progress -> offsets to go on from; rows of an unfinished micro-batch are taken back; views start over from silver
Run: python -m streaming rebuild
"""

import json

from delta.tables import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra import lake
from infra.lease import Lease
from infra.tables import Table
from streaming import lineage as lineages
from streaming.bronze import BRONZE
from streaming.checkpoint import Checkpoints, Ends
from streaming.definitions import definitions
from streaming.progress import INGEST, PROGRESS
from streaming.silver import QUARANTINE, SILVER
from streaming.stream import create_tables, session


def rebuild() -> None:
    """Give the tables a new checkpoint that continues exactly where the last finished micro-batch ended."""
    with Lease("stream"):
        own = session()
        create_tables(own)
        ends = finished(own)
        for table in (BRONZE, SILVER, QUARANTINE):
            take_back(own, table, ends)
        checkpoints = Checkpoints(own)
        checkpoints.drop()
        lineage = checkpoints.begin()
        if ends:
            checkpoints.write("start", json.dumps(ends))
        lineages.remember(checkpoints, definitions(own))
        lineages.adopt(own, lineage)
        print(f"rebuilt: lineage {lineage} goes on from {ends or 'the beginning'}; the views start over from silver")
        own.stop()


def finished(session: SparkSession) -> Ends:
    """The offsets up to which finished micro-batches have read, of every lineage: {topic: {partition: end}}."""
    rows = (
        lake.read(session, PROGRESS)
        .where(F.col("query") == INGEST)
        .select(F.explode("offsets").alias("range"))
        .groupBy("range.topic", "range.partition")
        .agg(F.max("range.to").alias("end"))
        .collect()
    )
    ends: Ends = {}
    for row in rows:
        ends.setdefault(row["topic"], {})[str(row["partition"])] = row["end"]
    return ends


def take_back(session: SparkSession, table: Table, ends: Ends) -> None:
    """Delete the rows that a micro-batch wrote which never finished; they are read from Kafka again."""
    unfinished = F.lit(True)
    for topic, partitions in ends.items():
        for partition, end in partitions.items():
            own = (F.col("topic") == topic) & (F.col("partition") == int(partition)) & (F.col("offset") < end)
            unfinished = unfinished & ~own
    DeltaTable.forPath(session, table.path).delete(unfinished)
