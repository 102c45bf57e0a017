"""Gaps in the log: offsets that the archive or the stream never read.

Data flow: archive/gaps, bronze/gaps -> Missed
Run: daybreak gaps
"""

from dataclasses import dataclass
from datetime import date, datetime

from batch.archive.events import ARCHIVE_GAPS
from infra.lake.reader import read
from infra.settings import Settings
from streaming.positions.gaps import BRONZE_GAPS


@dataclass(frozen=True)
class Missed:
    """Offsets [start, end) that `by` (archive or stream) never read.

    `from_day`, `to_day`: days (UTC) of the last arrival before the gap and of the first after it; None if unknown.
    """

    by: str
    topic: str
    partition: int
    start: int
    end: int
    cause: str
    accepted_at: datetime
    note: str | None = None
    from_day: date | None = None
    to_day: date | None = None
    accepted_by: str | None = None

    @property
    def offsets(self) -> int:
        """Number of offsets."""
        return self.end - self.start

    @property
    def days(self) -> str:
        """The span in words."""
        if self.to_day is None:
            return "unknown"
        if self.from_day == self.to_day:
            return str(self.to_day)
        return f"{self.from_day} to {self.to_day}" if self.from_day else f"until {self.to_day}"

    def touches(self, first: date, last: date) -> bool:
        """May it concern a day in [first, last]?"""
        return (self.from_day is None or self.from_day <= last) and (self.to_day is None or self.to_day >= first)


def missed(s: Settings) -> list[Missed]:
    """Every accepted gap, the archive's first."""
    found = []
    for by, table in (("archive", ARCHIVE_GAPS.id), ("stream", BRONZE_GAPS.id)):
        for row in sorted(read(s, table).to_pylist(), key=lambda row: (row["topic"], row["partition"], row["from"])):
            at = (row["topic"], row["partition"], row["from"], row["to"], row["cause"], row["accepted_at"])
            found.append(
                Missed(by, *at, row.get("note"), row.get("from_day"), row.get("to_day"), row.get("accepted_by"))
            )
    return found
