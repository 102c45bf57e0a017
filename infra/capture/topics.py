"""The topics of captured changes, whoever makes them: the connector, or the stream.

Data flow: Settings -> a topic's configuration
Run: daybreak up --with shop-db
"""

from infra.capture import limits
from infra.settings import Settings


def topic_configuration(s: Settings) -> dict[str, str]:
    """Every change is kept as long as other topics keep theirs, and the newest of each key for ever, to rebuild copies from."""
    kept = str(s.topic_retention_hours * 3_600_000)
    compacted = {"cleanup.policy": "compact", "retention.ms": "-1", "min.compaction.lag.ms": kept}
    return {"message.timestamp.type": "LogAppendTime", limits.OF_TOPIC: str(limits.RECORD_BYTES), **compacted}
