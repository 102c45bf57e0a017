"""What a night found, for people and programs: one JSON line per day, view and measure.

Data flow: reconciliation/summary, coverage -> standard output
Run: python -m batch report --from 2026-01-29 --to 2026-01-31
"""

import json

from pyspark.sql import functions as F

from batch.coverage import COVERAGE
from batch.day import Day
from batch.differences import SUMMARY
from batch.night import session
from infra import lake


def report(first: Day, last: Day) -> None:
    """Print the summary of settled days, oldest first."""
    own = session()
    own.sparkContext.setLogLevel("ERROR")
    within = F.col("day").between(F.lit(first.date), F.lit(last.date))
    settled = lake.read(own, COVERAGE).where(within).select("day", "revision", "settled_at")
    rows = lake.read(own, SUMMARY).where(within).join(settled, "day", "left").orderBy("day", "view", "measure")
    for row in rows.collect():
        print(json.dumps(row.asDict(), default=str))
    own.stop()
