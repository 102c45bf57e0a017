"""Resume: where the stream goes on in each partition, of the log that it has read, whatever was off or added meanwhile.

Data flow: checkpoint, speed/progress, Log -> refuse another log or a gap; else the checkpoint, with all of the log's partitions
Run: python -m streaming

A position outlives the absence of its topic: a contract that comes back goes on where it was. A partition that was never read
begins where the log does, and what is gone before is a gap on record. The stream starts all the same: to wait would lose more.
"""

from collections.abc import Mapping

from pyspark.sql import SparkSession

from infra import logs, problems
from infra.kafka.places import Ends
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.positions import cut_off, gaps, same_log
from streaming.positions import finished as positions
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.log import Log
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST

READER = "stream"
SOURCE = "stream.log"
"""The stream's problems with the log that keep it from starting."""
LOST = "stream.lost"
"""What it had lost and has gone on behind, until a person accepts it."""


def resume(session: SparkSession, checkpoints: Checkpoints, generation: str, log: Log) -> dict[str, str]:
    """Give the checkpoint a position in every partition of the log; returns the topics' ids, which must stay as they are.

    Raises PermanentFailure, and keeps the problem, if a topic is another log than was read, or if what comes next is gone.
    """
    refuse_other_logs(log.ids)
    placed = positions.flat(checkpoints.resumes_at(INGEST))
    refuse_gaps(placed, log)
    if new := log.end.keys() - placed.keys():
        read_to = positions.finished() | placed
        refuse_gaps({at: read_to[at] for at in new & read_to.keys()}, log)
        lost = gaps.unread(read_to, log, {topic for topic, _ in read_to})
        start = {at: read_to.get(at, log.first[at]) for at in sorted(new)}
        if lost:
            # Positions only grow, and so does their sum.
            gaps.accept(session, lost, generation, sum((read_to | start).values()))
            say(lost)
        checkpoints.place(INGEST, positions.nested(start))
    problems.keep(settings(), SOURCE, [])
    same_log.adopt(BRONZE, log.ids)
    return {topic: one for topic, one in same_log.known(BRONZE).items() if topic in CONTRACTS}


def refuse_other_logs(ids: Mapping[str, str]) -> None:
    """Raise PermanentFailure, and keep the problem, if a topic of which something was read has another of these ids, or none."""
    found = same_log.others(same_log.known(BRONZE), ids, CONTRACTS)
    if found:
        read_to = positions.finished()
        found = [one for one in found if any(end for (topic, _), end in read_to.items() if topic == one.topic)]
    if found:
        problems.keep(settings(), SOURCE, same_log.problems(found, READER))
        same_log.refuse(found, f"the {READER}")


def refuse_gaps(read_to: Ends, log: Log) -> None:
    """Raise PermanentFailure, and keep the problems, if retention deleted what comes next, or the log was cut off."""
    lost = [gap for gap in gaps.gaps(read_to, log) if gap.cause is gaps.GapCause.RETENTION]
    if lost:
        problems.keep(settings(), SOURCE, [gaps.problem(gap, READER, gaps.CONTINUE) for gap in lost])
        gaps.refuse(lost)
    cut_off.refuse(cut_off.found(read_to, log, BRONZE), READER, SOURCE)


def say(lost: list[gaps.Gap]) -> None:
    """Print the gaps; those of records that were lost are problems until a person accepts them."""
    for gap in lost:
        said = f"{gap} is not in the log ({gap.cause}) and is on record as a gap"
        logs.line(said, "daybreak stream", text=f"daybreak stream: {said}")
    ours = [gap for gap in lost if gap.cause is gaps.GapCause.RETENTION]
    problems.add(settings(), LOST, [gaps.problem(gap, READER, gaps.ACCEPT) for gap in ours])
