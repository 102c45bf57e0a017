"""Upkeep of the night's tables: the night cleans them up at its end, at most once a day.

Data flow: the night's tables -> compact, delete old rows, vacuum, by delta-rs
Run: python -m batch upkeep

The first night only creates the mark file from which the time is counted: a new lake has nothing to clean up.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from batch.archive.events import ARCHIVE
from batch.night.driver import say
from infra.airflow import old_logs, old_runs
from infra.lake.tables import Table
from infra.lake.upkeep import DAY_SECONDS, tidy
from infra.settings import settings
from streaming.state.changelog import never_deleted


def tidy_if_due(tables: Sequence[Table]) -> bool:
    """Tidy the tables unless that was done within the last day; returns whether it was done. Needs the night's lease."""
    mark = _mark()
    age = time.time() - mark.stat().st_mtime if mark.exists() else None
    if age is not None and age < DAY_SECONDS:
        return False
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    if age is None:
        return False
    tidy(tables, never_deleted(ARCHIVE))
    logs, runs = old_logs.remove_old(settings().home), old_runs.remove_old(settings())
    say(f"upkeep: {len(tables)} tables, {logs} old logs of Airflow, {runs} old runs")
    return True


def _mark() -> Path:
    """The mark file; its modification time says when upkeep was done last."""
    return settings().home / "run" / "night-upkeep"
