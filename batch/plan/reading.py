"""What runs, as the lake knows it: the stream's last versions, the settled days, and what both have measured of themselves.

Data flow: speed/progress, settlements, conservation, tables' logs -> Running, Settled, rows per day
Run: daybreak plan
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from batch.conservation.check import CONSERVATION
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from infra.failures import PermanentFailure
from infra.lake import arrow_tables
from infra.lake.tables import Table
from streaming.tables.progress import INGEST, PROGRESS, REBUILT

Row = dict[str, Any]


@dataclass(frozen=True)
class Running:
    """What the stream's last micro-batch was made by, and when. `rebuilt_in`: seconds that its views last took from silver."""

    definitions: Mapping[str, str]
    at: datetime
    rebuilt_in: float | None


def running() -> Running:
    """Raises PermanentFailure if no micro-batch has ended yet, TransientFailure if the store does not answer."""
    which = ("generation", "batch_id")
    found = arrow_tables.read(PROGRESS, which, pc.field("query") == INGEST) if arrow_tables.exists(PROGRESS) else None
    if found is None or not found.num_rows:
        raise PermanentFailure(
            "the stream has written nothing yet, so there is nothing to compare the code with: start it with daybreak up"
        )
    batches = list(zip(*(found[name].to_pylist() for name in which), strict=True))
    last = _batch(*max(batches))
    initial = max((one for one in batches if one[1] == REBUILT), default=None)
    views = dict(_batch(*initial)["durations"]).get("views") if initial else None
    return Running(dict(last["definitions"]), last["committed_at"], None if views is None else views / 1000)


def _batch(generation: str, number: int) -> Row:
    is_it = (pc.field("generation") == generation) & (pc.field("batch_id") == number)
    return rows(PROGRESS, is_it)[-1]


@dataclass(frozen=True)
class Settled:
    """`days`: the settlement in force of each settled day; `settled_at`, `counted_at`: the ends of all settlements ever, and of
    the counts after the archive."""

    days: Mapping[date, Row]
    settled_at: tuple[datetime, ...]
    counted_at: tuple[datetime, ...]

    @property
    def definitions(self) -> dict[date, dict[str, str]]:
        """The versions that settled each day."""
        return {day: dict(row["definitions"]) for day, row in self.days.items()}


def settled() -> Settled:
    """All settled days; none before the first night."""
    now, past = rows(SETTLEMENTS), rows(PAST_SETTLEMENTS)
    counted = {row["checked_at"] for row in rows(CONSERVATION)}
    return Settled({row["day"]: row for row in now}, tuple(row["settled_at"] for row in now + past), tuple(counted))


def rows(table: Table, where: pc.Expression | None = None) -> list[Row]:
    """The table's rows; none if it does not exist."""
    return arrow_tables.rows(table, where=where) if arrow_tables.exists(table) else []


def rows_of_days(table: Table) -> dict[date, int]:
    """How many rows a table by day has of each, from its log alone; none if it does not exist."""
    if not arrow_tables.exists(table):
        return {}
    files = pa.table(arrow_tables.latest(table).get_add_actions(flatten=True))
    found: dict[date, int] = {}
    if "num_records" in files.column_names:
        days = files["partition.day"].cast(pa.string()).to_pylist()
        for day, number in zip(days, files["num_records"].to_pylist(), strict=True):
            if day:
                found[date.fromisoformat(day)] = found.get(date.fromisoformat(day), 0) + (number or 0)
    return found
