"""The report's verdict for a quick reader: one sentence, and five figures.

Data flow: Figures -> verdict, Tile
Run: pytest tests/batch/report/test_figures.py
"""

from collections.abc import Iterator
from dataclasses import dataclass

from batch.report.curves import percent
from batch.report.figures import Figures
from batch.report.heatmap import Cell
from infra.durations import span


@dataclass(frozen=True)
class Tile:
    """One figure, its name for machines, and the section that tells more."""

    name: str
    value: str
    says: str
    section: str
    is_bad: bool = False


def verdict(found: Figures) -> tuple[bool, str]:
    """Whether the night is in order, and a sentence that says so or names what is wrong."""
    own = _own(found)
    wrong = []
    if unexplained := sum(cell.unexplained for cell in own):
        wrong.append(f"{unexplained:,} differences have no cause")
    if faults := sum(one.faults for one in found.kept):
        wrong.append(f"{faults:,} offsets do not add up")
    if found.revision is None:
        wrong.append("the day is not settled: its numbers are the stream's")
    if wrong:
        return False, f"Look at this night: {'; '.join(wrong)}."
    differing = sum(cell.differing for cell in own)
    said = (
        f"{differing:,} rows differed, each is explained and corrected"
        if differing
        else "the stream was right, row by row"
    )
    lost = sum(gap.end - gap.start for gap in found.lost if gap.by == "archive" and gap.concerns_day)
    gaps = f" {lost:,} records that may be of this day are lost and missing from all totals." if lost else ""
    return not lost, f"Settled at {found.settled_at:%Y-%m-%d %H:%M} UTC, revision {found.revision}: {said}.{gaps}"


def tiles(found: Figures) -> Iterator[Tile]:
    """From the differences to the freshness; a figure that is not known yet is left out."""
    own = _own(found)
    yield Tile("differing", f"{sum(cell.differing for cell in own):,}", "rows differed", "differences")
    unexplained = sum(cell.unexplained for cell in own)
    yield Tile("unexplained", f"{unexplained:,}", "without a cause", "waterfall", unexplained > 0)
    in_force = [point for curve in found.curves for point in curve.points if point.is_in_force]
    if in_force:
        some, whole = min(
            (point.lines["rows final"] for point in in_force), key=lambda part: part[0] / part[1] if part[1] else 1
        )
        yield Tile("final", f"{percent((some, whole))} %", "rows final at the watermark", "curve")
    lost = sum(gap.end - gap.start for gap in found.lost if gap.by == "archive")
    faults = sum(one.faults for one in found.kept)
    yield Tile("lost", f"{lost + faults:,}", "records lost or unaccounted for", "conservation", lost + faults > 0)
    views = [
        one.p95
        for one in found.fresh
        if one.clock == "arrival" and one.stage.startswith("speed/") and one.p95 is not None
    ]
    if views:
        yield Tile("fresh", span(max(views)), "p95 to a view, slowest hour", "freshness")


def _own(found: Figures) -> list[Cell]:
    return [cell for cell in found.heat if cell.day == found.day]
