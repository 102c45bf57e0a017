"""The heat map: per day and view, the share of rows in which the stream differed from the truth.

Data flow: reconciliation/{summary,curve,corrections} -> Cell per day and view
Run: pytest tests/batch/report/test_figures.py
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from batch.report.drilldown import Behind
from batch.report.drilldown import differing as rows_that_differ

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """A view on a day, in numbers of rows; `rows` (of the truth) is None until the day has its curve."""

    day: date
    view: str
    rows: int | None
    differing: int
    unexplained: int
    corrected: int
    is_settled: bool
    behind: Behind


def cells(
    summary: Iterable[Row], curve: Iterable[Row], corrections: Iterable[Row], settlements: Iterable[Row]
) -> tuple[Cell, ...]:
    """Every day and view that a night has compared, oldest first. A row corrected twice counts once."""
    compared: dict[tuple[date, str], list[Row]] = {}
    for row in summary:
        compared.setdefault((row["day"], row["view"]), []).append(row)
    rows = {(row["day"], row["view"]): row["rows"] for row in curve}
    keys: dict[tuple[date, str], set[str]] = {}
    for row in corrections:
        keys.setdefault((row["day"], row["view"]), set()).add(row["key"])
    settled = {row["day"] for row in settlements}
    return tuple(
        _cell(at, own, rows.get(at), len(keys.get(at, ())), at[0] in settled) for at, own in sorted(compared.items())
    )


def _cell(at: tuple[date, str], measures: list[Row], rows: int | None, corrected: int, is_settled: bool) -> Cell:
    day, view = at
    differing = max(row["rows_differing"] for row in measures)
    # A sum may be unexplained although every row is explained: that counts as one fault.
    unexplained = max(
        max(row["rows_unexplained"] for row in measures), int(any(row["unexplained"] for row in measures))
    )
    of = f" of {rows:,}" if rows is not None else ""
    share = f" ({differing / rows:.2%})" if rows else ""
    say = f"{day}, {view}: {differing:,}{of} rows differ{share}, {corrected:,} corrected, " + (
        f"{unexplained:,} unexplained" if unexplained else "all explained"
    )
    sql = rows_that_differ(day, view, "key, causes, speed, truth")
    say += "" if is_settled else "; the day is not settled"
    return Cell(day, view, rows, differing, unexplained, corrected, is_settled, Behind(say, sql, day))
