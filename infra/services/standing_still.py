"""Programs that do nothing although there is work: the stream; a project asks for its own.

Data flow: status files, records of the log that they have not read -> Problem per program
Run: daybreak status --problems

A program that works through a backlog moves, and one at the end of the log has nothing to do. So both must be true: its
position has not moved for `still_seconds`, and the oldest record that it has not read is older than that.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from infra.durations import span
from infra.failures import PermanentFailure
from infra.kafka.partitions import partitions
from infra.problems import Problem
from infra.services.program import Name
from infra.settings import Settings


def stream(s: Settings) -> list[Problem]:
    """The stream, if its process does not run; that of a running one is told by `daybreak status`."""
    own = said(s.home / "run" / "stream.json")
    if own and psutil.pid_exists(own["pid"]):
        return []
    return still(s, Name.STREAM, (own.get("batch") or {}).get("finished_at", 0.0), lambda: _unread(s))


def still(s: Settings, name: str, moved: float, oldest: Callable[[], datetime | None]) -> list[Problem]:
    """The problem of a program that moved last at `moved` (s since the epoch; 0: never); `oldest`: since when a record waits."""
    now = time.time()
    if now - moved < s.still_seconds or not (first := oldest()) or now - first.timestamp() < s.still_seconds:
        return []
    lately = f"has read nothing for {span(now - moved)}" if moved else "has never read anything"
    what = f"{name} {lately}, and a record waits since {first.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return [
        Problem(
            f"program.stands-still/{name}", what, f"daybreak logs {name}; then: daybreak restart {name}", since=first
        )
    ]


def _unread(s: Settings) -> datetime | None:
    try:
        return min((at.first_unread for at in partitions(s) if at.first_unread), default=None)
    except PermanentFailure:
        # The group has read nothing yet.
        return None


def said(file: Path) -> dict[str, Any]:
    """What a program has written of itself; nothing before its first start."""
    return json.loads(file.read_text()) if file.exists() else {}
