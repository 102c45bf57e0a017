"""Every figure of the page, without its presentation.

Data flow: Sources -> Figures
Run: pytest tests/batch/report/test_figures.py
"""

from dataclasses import dataclass
from datetime import date, datetime

import pyarrow.compute as pc

from batch.report.conservation import Kept, Lost, kept, lost
from batch.report.curve_and_lateness import CurveOf, LatenessOf, curves_of, lateness_of
from batch.report.freshness_and_lag import Fresh, Lagging, clock_of, fresh, lagging
from batch.report.heatmap import Cell, cells
from batch.report.problems import Known
from batch.report.served import Served, served
from batch.report.sources import Sources
from batch.report.waterfall import Waterfall, waterfalls
from infra.failing import WHAT_TO_DO


@dataclass(frozen=True)
class Figures:
    """The figures of one day's night, and of the days before it.

    `read_to`: when the stream last finished a micro-batch. `clock`: the clock by which freshness is shown first.
    """

    day: date
    revision: int | None
    run: str
    settled_at: datetime | None
    read_to: datetime | None
    watermark: datetime | None
    heat: tuple[Cell, ...]
    waterfalls: tuple[Waterfall, ...]
    curves: tuple[CurveOf, ...]
    lateness: tuple[LatenessOf, ...]
    fresh: tuple[Fresh, ...]
    clock: str
    lagging: tuple[Lagging, ...]
    kept: tuple[Kept, ...]
    lost: tuple[Lost, ...]
    served: tuple[Served, ...]
    failing: str | None
    known: Known | None = None


def figures(of: Sources) -> Figures:
    """Compute the figures. The same tables give the same figures, because no clock is read."""
    curve = [row for row in of.curve if row["day"] == of.day]
    settled = next((row for row in of.settlements if row["day"] == of.day), None)
    watermark, latest, read_to = (_newest(of, column) for column in ("watermark", "max_event_time", "committed_at"))
    placed = fresh(of.day, of.events, of.progress, of.builds)
    return Figures(
        day=of.day,
        revision=settled["revision"] if settled else None,
        run=settled["run"] if settled else max(row["run"] for row in of.summary if row["day"] == of.day),
        settled_at=settled["settled_at"] if settled else None,
        read_to=read_to,
        watermark=watermark,
        heat=cells(of.summary, of.curve, of.corrections, of.settlements),
        waterfalls=waterfalls(of.summary),
        curves=curves_of(of.day, curve, of.lateness),
        lateness=lateness_of(of.day, curve, of.lateness),
        fresh=placed,
        clock=clock_of(placed).value,
        lagging=lagging(of.day, of.events, of.progress),
        kept=kept(of.conservation),
        lost=lost(of.gaps, of.day),
        served=served(
            min(row["day"] for row in of.summary),
            of.settlements,
            {row["day"] for row in of.corrections},
            watermark,
            latest,
        ),
        failing=f"{of.failing.place}. {WHAT_TO_DO}" if of.failing else None,
        known=of.known,
    )


def _newest(of: Sources, column: str) -> datetime | None:
    found: datetime | None = pc.max(of.progress[column]).as_py()
    return found
