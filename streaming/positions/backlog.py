"""The backlog: partitions with records left to read behind a micro-batch that was as large as it may be, or behind a transaction.

Data flow: offsets of a micro-batch, the log's ends -> partitions with a backlog -> a small file in the checkpoint
Run: pytest tests/streaming/test_backlog.py

Spark reads the same share of each partition's backlog, whatever times it holds. So the stream may be hours further in one
topic than in another, and the watermark waits for the slowest (streaming/README.md, Watermark and late events).
"""

from collections.abc import Collection

from infra.kafka.places import At
from infra.settings import settings
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.decided import Decided
from streaming.positions.log import log_now
from streaming.tables.progress import Offset

FILE = "backlog"
"""The file's name in the checkpoint: the last micro-batch that had a backlog, and its partitions."""


class Backlog:
    """Finds the partitions with a backlog. A repeated micro-batch finds the same ones, though the log has grown since."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._decided = Decided(checkpoints, FILE)
        self.waiting = 0
        """Records left to read behind the last micro-batch, if that was full."""

    def behind(
        self,
        batch_id: int,
        offsets: Collection[Offset],
        held_back: frozenset[At] = frozenset(),
        limit: int | None = None,
    ) -> frozenset[At]:
        """The partitions with records left to read after `offsets`; none if the micro-batch was not full, but `held_back`.

        `held_back`: those whose records wait behind an open transaction; `limit` as for `is_full`.
        Raises TransientFailure if Kafka does not answer.
        """
        if (before := self._decided.before(batch_id)) is not None:
            return frozenset((topic, partition) for topic, partition in before["partitions"])
        found = held_back
        self.waiting = 0
        if is_full(offsets, limit):
            end = log_now().end
            left = {(topic, number): end.get((topic, number), to) - to for topic, number, _, to in offsets}
            found |= {at for at, records in left.items() if records > 0}
            self.waiting = sum(left.values())
        elif not found:
            return found
        self._decided.keep(batch_id, partitions=sorted(found))
        return found


def is_full(offsets: Collection[Offset], limit: int | None = None) -> bool:
    """Did the micro-batch reach `limit`, by default the setting's? Spark rounds each partition's share of it down."""
    most = settings().max_offsets_per_trigger if limit is None else limit
    return sum(to - start for *_, start, to in offsets) + len(offsets) >= most
