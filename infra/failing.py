"""Record a stream that fails repeatedly at one micro-batch: which one, how often, why, and what to do.

Data flow: streaming/stream.py -> `<home>/run/stream-failures.json` -> the log, `daybreak status`, the nights' report
Run: daybreak status

Supervisor restarts the stream whenever it ends. That cures a temporary failure, and repeats a permanent one for ever.
"""

import json
import logging
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from infra import logs
from infra.cause import sentence
from infra.last_said import last_said
from infra.out_of_memory import FULL
from infra.settings import Settings, settings

REPEATED = 3
"""Failures at the same micro-batch from which on the stream counts as failing."""
WHAT_TO_DO = (
    "Read `daybreak logs stream`, fix the cause, then run `daybreak restart stream`. No record is lost: the stream "
    "reads the same offsets again, and nightly runs read Kafka themselves"
)


@dataclass(frozen=True)
class Failing:
    """A failing micro-batch (None before the first of a start), its `offsets` as text, first failure `since` (ISO)."""

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
    """Record that the stream ended at this micro-batch with the raw message `cause`; returns how often it has.

    From REPEATED failures on, it also prints a message to standard error, which is the stream's log.
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
        logs.line(f"the stream is failing ({one.place}). {WHAT_TO_DO}.", level=logging.ERROR)
    return count


def succeeded() -> None:
    """Clear the record, because a micro-batch has finished."""
    _file(settings()).unlink(missing_ok=True)


def failing(s: Settings) -> Failing | None:
    """The micro-batch at which the stream failed REPEATED times or more, without one finished since; else None."""
    one = _noted(s)
    return one if one and one.count >= REPEATED else None


def was_full(s: Settings) -> bool:
    """Has it ended last because its memory was full, without a micro-batch finished since?"""
    one = _noted(s)
    return one is not None and FULL in one.cause


def _noted(s: Settings) -> Failing | None:
    last = last_said(_file(s))
    return Failing(**last) if last else None


def _file(s: Settings) -> Path:
    return s.home / "run" / "stream-failures.json"
