"""Detect crash loops, from supervisor's log of every end that was not requested.

Data flow: `<home>/logs/supervisord.log` -> Ends per program
Run: daybreak status
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from infra.settings import Settings

WITHIN = timedelta(minutes=15)
OFTEN = 3
"""This many ends within WITHIN, with the last start younger than LASTING, count as a crash loop."""
LASTING = timedelta(minutes=5)
TAIL = 200_000
"""Bytes of the log, some 2,000 lines."""
_END = re.compile(r"^(?P<at>[\d-]+ [\d:]+),\d+ \w+ exited: (?P<name>\S+) \((?P<how>[^;)]*)")


@dataclass(frozen=True)
class Ends:
    """How often a program ended within WITHIN; when it last ended, and how."""

    count: int
    last: datetime
    how: str

    def loops(self, up_seconds: int | None) -> str | None:
        """A sentence about the crash loop; None if it ended less than OFTEN times or has run for LASTING since."""
        is_young = up_seconds is None or up_seconds < LASTING.total_seconds()
        if self.count < OFTEN or not is_young:
            return None
        minutes = WITHIN // timedelta(minutes=1)
        return f"it ended {self.count} times within {minutes} minutes, last at {self.last:%H:%M:%S} UTC ({self.how})"


def ends(s: Settings, now: datetime | None = None) -> dict[str, Ends]:
    """The unrequested ends of each program within WITHIN; supervisor's own log is in UTC."""
    file = s.home / "logs" / "supervisord.log"
    if not file.exists():
        return {}
    with file.open("rb") as log:
        log.seek(max(file.stat().st_size - TAIL, 0))
        lines = log.read().decode(errors="replace").splitlines()
    since = (now or datetime.now(UTC)) - WITHIN
    found: dict[str, Ends] = {}
    for line in lines:
        if (end := _END.match(line)) and (at := datetime.fromisoformat(end["at"]).replace(tzinfo=UTC)) >= since:
            before = found.get(end["name"])
            found[end["name"]] = Ends(before.count + 1 if before else 1, at, end["how"])
    return found
