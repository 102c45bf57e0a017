"""Which day a run of the DAG `nightly` settles.

Data flow: a run's kind and dates -> the UTC day, as YYYY-MM-DD
Run: pytest tests/dags/test_day_of_run.py

A run by hand has no logical date unless one is given, and Airflow gives it the interval that ended before that date: of the
logical date D that would be the night of the day before yesterday, which nobody means who enters D.
"""

from datetime import timedelta
from typing import Any


def day_of(run: Any) -> str:
    """The day of a scheduled run and of a backfill is that of its data interval; by hand it is the logical date's, or without
    one the day before the run was asked for."""
    kind = getattr(run.run_type, "value", run.run_type)
    if kind in ("scheduled", "backfill") and run.data_interval_start:
        return str(run.data_interval_start.date())
    if run.logical_date:
        return str(run.logical_date.date())
    return str(run.run_after.date() - timedelta(days=1))
