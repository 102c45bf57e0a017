"""Rebuild after a lost checkpoint or a changed view: keep bronze and silver, begin a new generation.

Data flow: progress -> offsets to resume at; rows of an unfinished micro-batch and second copies are deleted; views are rewritten
Run: python -m streaming rebuild [--accept-gap]
"""

import json

from delta.tables import DeltaTable
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from infra.acting import act_as
from infra.kafka.places import Ends
from infra.kafka.topic_ids import topic_ids
from infra.lake.lease import Lease, still_held
from infra.lake.tables import Table, Writer
from streaming.contracts import CONTRACTS
from streaming.positions import gaps, topics
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.doubled import remove_second_copies
from streaming.positions.finished import finished, nested
from streaming.positions.log import log_now
from streaming.positions.resume import refuse_gaps, refuse_other_logs
from streaming.stream import create_tables, session
from streaming.tables.bronze import BRONZE
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.versions import generation as generations
from streaming.versions.definition_cache import known_definitions


def rebuild(accept_gap: bool = False) -> None:
    """Give the tables a new checkpoint that continues exactly where the last finished micro-batch ended.

    If retention has deleted the next offsets, `accept_gap` resumes at the log's start and records the gap in
    bronze/gaps. Without it, PermanentFailure is raised before anything is changed.
    """
    act_as(Writer.STREAM)
    with Lease("stream") as lease:
        # Before a topic that is gone is made again.
        refuse_other_logs(topic_ids(CONTRACTS))
        own = session()
        topics.create()
        create_tables(own)
        ends, log = finished(), log_now()
        refuse_other_logs(log.ids)
        if not accept_gap:
            refuse_gaps(ends, log)
        lost = [gap for gap in gaps.gaps(ends, log) if gap.cause is gaps.GapCause.RETENTION]
        for table in (BRONZE, SILVER, QUARANTINE):
            take_back(own, table, ends)
        for place in remove_second_copies(own, (BRONZE, SILVER, QUARANTINE)):
            print(f"second copies removed: {place}, read twice by an earlier version")
        checkpoints = Checkpoints(own)
        lease.check()
        checkpoints.drop()
        generation = checkpoints.begin()
        start = ends | {(gap.topic, gap.partition): gap.end for gap in lost}
        if start:
            checkpoints.write("start", json.dumps(nested(start)))
        if lost:
            gaps.accept(own, lost, generation, sum(start.values()))
        generations.remember(checkpoints, known_definitions(own))
        generations.adopt(generation)
        print(f"rebuilt: generation {generation} resumes at {nested(start) or 'the beginning'}; views are rewritten")
        for gap in lost:
            print(f"gap accepted: {gap}, never read by the stream")
        own.stop()


def take_back(session: SparkSession, table: Table, ends: Ends) -> None:
    """Delete the rows of a micro-batch that never finished; its records are read from Kafka again."""
    unfinished = F.lit(True)
    for (topic, partition), end in ends.items():
        own = (F.col("topic") == topic) & (F.col("partition") == partition) & (F.col("offset") < end)
        unfinished = unfinished & ~own
    still_held()
    DeltaTable.forPath(session, table.path).delete(unfinished)
