"""Which layer serves which hour: the truth on settled days, the stream on the others.

Data flow: reconciliation/{settlements,corrections}, the stream's watermark and latest event -> Served, oldest first
Run: daybreak query "SELECT day, status FROM gold.fct_daily_orders ORDER BY day"
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from batch.report.drilldown import Behind, of_day, select
from batch.settlement.settlements import SETTLEMENTS
from streaming.tables.progress import PROGRESS

ONE = timedelta(days=1)


class Status(StrEnum):
    """The status of the numbers of some hours."""

    SETTLED = "settled"
    CORRECTED = "corrected"
    PROVISIONAL = "provisional"
    OPEN = "open"


@dataclass(frozen=True)
class Served:
    """The hours [start, end) UTC; `layer` is `truth` if the day is settled, else `speed`."""

    start: datetime
    end: datetime
    layer: str
    status: Status
    behind: Behind


def served(
    first: date,
    settlements: Iterable[Mapping[str, Any]],
    corrected: Collection[date],
    watermark: datetime | None,
    latest: datetime | None,
) -> tuple[Served, ...]:
    """From `first` to the stream's latest event, or to the end of the last settled day; speed serves unsettled days between."""
    covered = {row["day"]: row for row in settlements if row["day"] >= first}
    ends = [datetime.combine(day + ONE, time(), UTC) for day in covered] + ([latest] if latest else [])
    last = max(ends, default=datetime.combine(first, time(), UTC))
    found: list[Served] = []
    day = first
    while (start := datetime.combine(day, time(), UTC)) < last:
        end = min(start + ONE, last)
        if row := covered.get(day):
            found.append(_truth(start, start + ONE, row, day in corrected))
        else:
            split = min(max(watermark or end, start), end)
            found += [
                _speed(a, b, status)
                for a, b, status in ((start, split, Status.PROVISIONAL), (split, end, Status.OPEN))
                if a < b
            ]
        day += ONE
    return tuple(found)


def _truth(start: datetime, end: datetime, row: Mapping[str, Any], was_corrected: bool) -> Served:
    status = Status.CORRECTED if was_corrected else Status.SETTLED
    day = row["day"]
    by = f"revision {row['revision']}, settled {row['settled_at']:%Y-%m-%d %H:%M} UTC by {row['run']}"
    say = f"{day}: the truth serves it, {status}, {by}"
    return Served(start, end, "truth", status, Behind(say, select("*", SETTLEMENTS.sql, *of_day(day)), day))


def _speed(start: datetime, end: datetime, status: Status) -> Served:
    why = (
        "the watermark has passed these hours, and no night has settled them"
        if status is Status.PROVISIONAL
        else "the watermark has not passed these hours, so the numbers may still change"
    )
    say = f"{start:%Y-%m-%d %H:%M} to {end:%H:%M} UTC: the stream serves it, {status}: {why}"
    columns = "query, batch_id, as_of, watermark, next_watermark, max_event_time"
    sql = select(columns, PROGRESS.sql, f"as_of >= TIMESTAMP'{start:%Y-%m-%d %H:%M:%S}'", order="as_of DESC LIMIT 50")
    return Served(start, end, "speed", status, Behind(say, sql))
