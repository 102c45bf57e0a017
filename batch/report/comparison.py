"""The sections about the two layers: where they differ, why, and how complete other delays would have been.

Data flow: Figures -> Section
Run: pytest tests/batch/report/test_page.py
"""

from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.reconciliation.differences import SUMMARY
from batch.report.curves import percent, span_of
from batch.report.drilldown import of_day, select
from batch.report.figures import Figures
from batch.report.section import Section


def differences(found: Figures) -> Section:
    """The heat map of days and views."""
    days, bad = {cell.day for cell in found.heat}, sum(cell.unexplained for cell in found.heat)
    worst = max(found.heat, key=lambda cell: cell.differing / cell.rows if cell.rows else 0)
    share = percent((worst.differing, worst.rows)) if worst.rows else "-"
    return Section(
        "differences",
        "On which day, and in which view, did the stream and the truth differ?",
        f"In {len(days)} days at most {share} % of a view's rows ({worst.view}, {worst.day}); "
        + (f"{bad:,} rows have no cause." if bad else "every difference has its cause."),
        "Share of the truth's rows in which the stream differed. Choose a cell: the sections below show its view.",
        ("day", "view", "rows", "differ", "corrected", "unexplained"),
        tuple((c.day, c.view, c.rows, c.differing, c.corrected, c.unexplained) for c in found.heat),
        select("*", SUMMARY.sql, order="day, view, measure"),
    )


def waterfall(found: Figures) -> Section:
    """The day's waterfall of every view and measure."""
    own = [one for one in found.waterfalls if one.day == found.day]
    causes = dict.fromkeys(
        step.name.replace("_", " ") for one in own for step in one.steps if step.kind in ("cause", "fault")
    )
    return Section(
        "waterfall",
        "What leads from the stream's answer to the truth?",
        f"On {found.day}: {', '.join(causes)}." if causes else f"On {found.day} nothing: the sums are the same.",
        "Each step starts where the one above it ends. The axes begin near the totals, not at zero.",
        ("view", "measure", "step", "from", "to"),
        tuple((one.view, one.measure, step.name, step.start, step.end) for one in own for step in one.steps),
        select("*", SUMMARY.sql, *of_day(found.day), order="view, measure"),
    )


def curve(found: Figures) -> Section:
    """The day's latency-completeness curve of every view; the chart shows the chosen one."""
    needs = [(share, seconds, one.view) for one in found.curves for share, seconds in one.needed.items()]
    longest = {share: max(need for need in needs if need[0] == share) for share, *_ in needs}
    said = [f"{span_of(seconds)} for {share} % ({view})" for share, seconds, view in longest.values()]
    lines = list(dict.fromkeys(name for one in found.curves for point in one.points for name in point.lines))
    return Section(
        "curve",
        "How complete would the stream have been with a longer delay?",
        f"To have so many of its events on time, in order of arrival, a view needs at most {', '.join(said)}."
        if said
        else "This day has no curve yet: the curve is drawn after the day is settled.",
        "With each step up the axis, ten times less is missing; the top is 100 %. The dashed line is the delay in force.",
        ("view", "delay", *(f"{name} %" for name in lines)),
        tuple(
            (
                one.view,
                point.label + (", in force" if point.is_in_force else ""),
                *(percent(point.lines.get(name, (0, 0))) for name in lines),
            )
            for one in found.curves
            for point in one.points
        ),
        select("*", CURVE.sql, *of_day(found.day), order="view, measure, delay_seconds NULLS LAST"),
    )


def lateness(found: Figures) -> Section:
    """The day's lateness histogram of every view, with the watermark; the chart shows the chosen one."""
    late = [
        (one.view, sum(b.as_read for b in one.bins if b.is_late), sum(b.as_read for b in one.bins))
        for one in found.lateness
    ]
    view, number, of = max(late, key=lambda one: one[1] / one[2] if one[2] else 0, default=("", 0, 0))
    return Section(
        "lateness",
        "How late were the events, and which came behind the watermark?",
        f"Behind the watermark: at most {percent((number, of))} % of a view's events ({view}: {number:,} of {of:,})."
        if late and number
        else "No event came behind the watermark."
        if late
        else "This day has no waits yet: they are measured after the day is settled.",
        "Events by the delay that they need, on a logarithmic axis. Bars count by micro-batch, strokes in order of arrival.",
        ("view", "delay needed", "on time in the micro-batches", "in order of arrival", "in the stream"),
        tuple(
            (one.view, b.label, b.as_read, b.in_order, "late" if b.is_late else "in time")
            for one in found.lateness
            for b in one.bins
        ),
        select("*", EVENT_LATENESS.sql, *of_day(found.day), order="view, basis, required_delay_seconds"),
    )
