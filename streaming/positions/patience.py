"""Patience: may large parts wait for the next micro-batch? Only if one is certain to come, and a repetition says the same.

Data flow: the log's ends while a micro-batch is read -> does more wait? -> a small file in the checkpoint
Run: pytest tests/streaming/test_patience.py

Of a window with a hundred thousand events each micro-batch would compute all again, though it added a few. At the end of the
log everything is computed, so that what is said last is whole.
"""

from streaming.positions.checkpoint import Checkpoints
from streaming.positions.decided import Decided

FILE = "patience"
"""The file's name in the checkpoint: the last micro-batch in which parts were allowed to wait."""


class Patience:
    """The first micro-batch of a process may be a repetition: it does what was done before, and waits for nothing else."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._decided = Decided(checkpoints, FILE)

    def more_comes(self, batch_id: int, waits: bool, is_large: bool) -> bool:
        """May parts wait? `waits`: behind this micro-batch is more that may be read; `is_large`: the last one saw such a part."""
        if self._decided.may_be_repeated:
            return self._decided.before(batch_id) is not None
        if not (waits and is_large):
            return False
        self._decided.keep(batch_id)
        return True
