"""What a micro-batch decided of which the log says something else by now: a repetition decides the same.

Data flow: a decision -> a small file in the checkpoint -> the first micro-batch of the next process, which may be a repetition
Run: pytest tests/streaming/test_backlog.py tests/streaming/test_patience.py
"""

import json
from typing import Any

from streaming.positions.checkpoint import Checkpoints


class Decided:
    """The last decision that was kept in `file`."""

    def __init__(self, checkpoints: Checkpoints, file: str) -> None:
        self._checkpoints, self._file = checkpoints, file
        self.may_be_repeated = True
        """Is no micro-batch of this process known yet?"""

    def before(self, batch_id: int) -> dict[str, Any] | None:
        """What this micro-batch decided when it was done before; None if it was not, or had nothing to keep."""
        if not self.may_be_repeated:
            return None
        self.may_be_repeated = False
        stored: dict[str, Any] = json.loads(self._checkpoints.read(self._file) or "{}")
        return stored if stored.get("batch_id") == batch_id else None

    def keep(self, batch_id: int, **what: Any) -> None:
        """Before anything of it is said: whoever repeats it finds it."""
        self._checkpoints.write(self._file, json.dumps({"batch_id": batch_id, **what}))
