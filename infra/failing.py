"""A stream that fails at the same micro-batch again and again: which one, how often, why, and what to do.

Data flow: streaming/stream.py -> `<home>/run/stream-failures.json` -> the log, `daybreak status`, the nights' report
Run: daybreak status

Supervisor starts a stream anew whenever it ends, which mends what passes and repeats for ever what does not.
"""

import json
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from infra.cause import sentence
from infra.settings import Settings, settings

REPEATED = 3
"""Ends at the same micro-batch from which on it is no accident."""
WHAT_TO_DO = (
    "`daybreak logs stream` has all of it; mend the cause, then `daybreak restart stream`. Nothing is lost: it reads the same "
    "offsets again, and the nights go on from the log"
)


@dataclass(frozen=True)
class Failing:
    """One micro-batch, None before the first of a start; its `offsets` in words, and its first failure `since` (ISO, UTC)."""

    batch: int | None
    offsets: str
    cause: str
    count: int
    since: str

    @property
    def place(self) -> str:
        """Where, how often and why, short."""
        where = "before a micro-batch" if self.batch is None else f"micro-batch {self.batch}"
        offsets = f" ({self.offsets})" if self.offsets else ""
        return f"{where}{offsets}, {self.count} times since {self.since[:16].replace('T', ' ')} UTC: {self.cause}"


def failed(batch_id: int | None, offsets: str, cause: str) -> int:
    """Note that the stream ended at this micro-batch, with `cause` as Spark or Python say it; gives how often by now.

    From REPEATED times on it says so on standard error too, which is the stream's log.
    """
    before = _noted(settings())
    again = before is not None and (before.batch, before.offsets) == (batch_id, offsets)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    count, since = (before.count + 1, before.since) if before and again else (1, now)
    one = Failing(batch_id, offsets, sentence(cause), count, since)
    file = _file(settings())
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(asdict(one)))
    fresh.replace(file)
    if count >= REPEATED:
        print(f"daybreak: the stream is failing ({one.place}). {WHAT_TO_DO}.", file=sys.stderr, flush=True)
    return count


def succeeded() -> None:
    """A micro-batch is finished: what failed before has passed."""
    _file(settings()).unlink(missing_ok=True)


def failing(s: Settings) -> Failing | None:
    """What the stream has failed at REPEATED times and more, and not passed since."""
    one = _noted(s)
    return one if one and one.count >= REPEATED else None


def _noted(s: Settings) -> Failing | None:
    file = _file(s)
    return Failing(**json.loads(file.read_text())) if file.exists() else None


def _file(s: Settings) -> Path:
    return s.home / "run" / "stream-failures.json"
