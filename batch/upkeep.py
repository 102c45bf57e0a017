"""Upkeep of the night's own tables, by the night itself: once a day, behind its work.

Data flow: the night's tables -> compact, forget, vacuum by delta-rs
Run: python -m batch upkeep

The first night only begins the day that is counted from: a new lake has nothing to clean up.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from batch.driver import say
from infra.lake.tables import Table
from infra.lake.upkeep import DAY_SECONDS, tidy
from infra.settings import settings


def tidy_if_due(tables: Sequence[Table]) -> bool:
    """Tidy the tables unless it was done within a day; was it done? Under the night's lease."""
    mark = _mark()
    age = time.time() - mark.stat().st_mtime if mark.exists() else None
    if age is not None and age < DAY_SECONDS:
        return False
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    if age is None:
        return False
    tidy(tables)
    say(f"upkeep: {len(tables)} tables")
    return True


def _mark() -> Path:
    """A file whose age says when it was done last."""
    return settings().home / "run" / "night-upkeep"
