"""The figures of a report: tables by hand, figures by heart."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from demo_sample import demo_sample
from sample import CAUSES, DAY, START, VIEWS, WATERMARK, sample

from batch.reconciliation.causes import STEPS
from batch.report.conservation import kept, lost
from batch.report.curve_and_lateness import curves_of, lateness_of
from batch.report.drilldown import quoted
from batch.report.figures import figures
from batch.report.freshness_and_lag import fresh, lagging
from batch.report.gaps import Missed
from batch.report.heatmap import cells
from batch.report.operations import lag
from batch.report.served import served
from batch.report.verdict import tiles, verdict
from batch.report.waterfall import waterfalls

ROW: dict[str, Any] = {
    "day": DAY, "view": "totals", "measure": "sales", "speed": 90, "late": 12, "gap": None, "duplicate": -2,
    "truth": 100, "unexplained": 0, "rows_differing": 5, "rows_unexplained": 0, "run": "r",
}  # fmt: skip
COUNTS = ("log", "gaps", "empty", "archived", "unread", "bronze", "silver", "quarantined", "duplicates")
SOUND = dict.fromkeys((*COUNTS, "missing", "doubled", "unaccounted"), 0)


def missed(day: date) -> Missed:
    """Four records that arrived on a day."""
    return Missed("archive", "sales", 1, 5, 9, "retention", START, None, day, day)


def test_a_cell_is_a_view_on_a_day_in_rows() -> None:
    corrections = [{"day": DAY, "view": "totals", "key": key} for key in ("a", "b", "a")]
    curve = [{"day": DAY, "view": "totals", "rows": 50}] * 3
    (cell,) = cells([ROW, ROW | {"measure": "pieces"}], curve, corrections, [{"day": DAY}])
    assert (cell.rows, cell.differing, cell.corrected, cell.unexplained, cell.is_settled) == (50, 5, 2, 0, True)
    assert "5 of 50 rows differ (10.00%), 2 corrected, all explained" in cell.behind.say
    assert "day = DATE'2026-01-31'\n  AND view = 'totals'" in cell.behind.sql


def test_a_sum_that_is_off_without_a_row_is_a_fault() -> None:
    (cell,) = cells([ROW | {"unexplained": -1}], [], [], [])
    assert (cell.rows, cell.unexplained, cell.is_settled) == (None, 1, False)


def test_a_waterfall_is_an_unbroken_way_from_speed_to_truth() -> None:
    (one,) = waterfalls([dict.fromkeys(STEPS, 0) | ROW | {"truth": 101, "unexplained": 1}])
    assert [(step.name, str(step.kind), step.start, step.end) for step in one.steps] == [
        ("speed", "speed", 90, 90),
        ("late", "cause", 90, 102),
        ("duplicate", "cause", 102, 100),
        ("unexplained", "fault", 100, 101),
        ("truth", "truth", 101, 101),
    ]
    behind = {step.name: step.behind.sql for step in one.steps}
    assert "FROM reconciliation.evidence" in behind["late"]
    assert "cause = 'late'" in behind["late"]
    assert "array_contains(causes, 'unexplained')" in behind["unexplained"]
    assert "FROM speed.totals" in behind["speed"]


def test_no_bin_stands_on_both_sides_of_the_watermark() -> None:
    curve = [{"view": "totals", "delay_seconds": 45, "in_force": True}]
    found = [("stream", 0, 7), ("stream", 45, 2), ("stream", 46, 1), ("log", 46, 3), ("stream", 999_999, 1)]
    waits = [
        {"view": "totals", "basis": basis, "required_delay_seconds": wait, "events": events}
        for basis, wait, events in found
    ]
    (one,) = lateness_of(DAY, curve, waits)
    full = {(b.above, b.to): (b.as_read, b.in_order, b.is_late) for b in one.bins if b.as_read or b.in_order}
    assert full == {
        (-1, 0): (7, 0, False),
        (30, 45): (2, 0, False),
        (45, 60): (1, 3, True),
        (172_800, None): (1, 0, True),
    }
    assert [b.to for b in one.bins if b.above < 45][-1] == 45
    (behind,) = [b for b in one.bins if b.above == 45]
    assert "late_by_ms > 0\n  AND late_by_ms <= 15000" in behind.behind.sql
    (behind,) = [b for b in one.bins if b.above == 30]
    assert "required_delay_seconds > 30\n  AND required_delay_seconds <= 45" in behind.behind.sql


def test_without_a_curve_there_is_none() -> None:
    assert (curves_of(DAY, [], []), lateness_of(DAY, [], [])) == ((), ())


def test_the_curve_carries_the_tables_own_parts() -> None:
    of = sample()
    today = [row for row in of.curve if row["day"] == DAY]
    for curve in curves_of(DAY, today, of.lateness):
        assert [point.delay_seconds for point in curve.points if point.is_in_force] == [WATERMARK]
        assert curve.points[-1].label == "the night"
        for point in curve.points:
            for measure in VIEWS[curve.view]:
                (row,) = [
                    r
                    for r in today
                    if (r["view"], r["measure"], r["delay_seconds"]) == (curve.view, measure, point.delay_seconds)
                ]
                assert point.lines[measure] == (row["value_in_time"], row["value"])
                assert point.lines["rows final"] == (row["rows_final"], row["rows"])


def test_lag_is_what_has_arrived_and_is_not_read() -> None:
    of = sample()
    found = lagging(DAY, of.events, of.progress)
    done = {row["batch_id"]: dict(row["visible"])["silver/events"] for row in of.progress.to_pylist()}
    spans = [(row["arrival"], done[row["batch_id"]]) for row in of.events.to_pylist()]
    most = max(sum(arrived <= at < read for arrived, read in spans) for at in [span[0] for span in spans[::7]])
    peak = max(found, key=lambda one: one.events)
    assert most <= peak.events <= most + 20
    assert START + timedelta(hours=12) < peak.at < START + timedelta(hours=14)


def test_a_backlog_is_shown_to_its_end() -> None:
    of = demo_sample()
    found = lagging(DAY, of.events, of.progress)
    arrived = [row["arrival"] for row in of.events.to_pylist()]
    assert max(one.events for one in found) == len(arrived)
    assert found[-1].events == 0
    read = max(dict(row["visible"])["silver/events"] for row in of.progress.to_pylist() if row["batch_id"] <= 25)
    assert found[-1].at - max(arrived) > timedelta(seconds=40)
    assert abs(found[-1].at - read) < timedelta(seconds=3)
    section, end = lag(figures(of)), max(after.at for one, after in pairwise(found) if one.events)
    assert section.answer.startswith("At most 6,000 events waited in the log, at 2026-02-01 10:03:1")
    assert section.answer.endswith(f"from 2026-02-01 {end:%H:%M:%S} on none did.")


def test_what_comes_after_a_backlogs_end_is_not_in_it() -> None:
    of = demo_sample()
    (first,) = of.events.slice(0, 1).to_pylist()
    after = first | {"arrival": first["arrival"] + timedelta(hours=5), "late_by_ms": 5, "batch_id": 40}
    events = pa.concat_tables([of.events, pa.Table.from_pylist([after], of.events.schema)])
    assert lagging(DAY, events, of.progress) == lagging(DAY, of.events, of.progress)


def test_an_event_of_an_unfinished_micro_batch_is_not_in_the_lag() -> None:
    of = sample()
    found = lagging(DAY, of.events.slice(0, 1), of.progress.filter([False] * of.progress.num_rows))
    assert found == ()
    assert lagging(DAY, of.events.slice(0, 0), of.progress) == ()


def test_freshness_is_by_hour_and_by_either_clock() -> None:
    of = sample()
    found = fresh(DAY, of.events, of.progress, of.builds)
    assert {one.clock for one in found} == {"event", "arrival"}
    on_time = sum(row["late_by_ms"] == 0 for row in of.events.to_pylist())
    for clock in ("event", "arrival"):
        assert sum(one.events for one in found if (one.clock, one.stage) == (clock, "silver")) == on_time
    at_noon = {one.stage: one for one in found if one.clock == "event" and one.hour == START + timedelta(hours=13)}
    assert list(at_noon) == ["bronze", "silver", "speed/payments", "speed/totals", "gold"]
    assert at_noon["bronze"].p50 < at_noon["silver"].p50 < at_noon["speed/totals"].p50 < at_noon["gold"].p50  # type: ignore[operator]


def test_a_day_that_was_sent_later_is_told_by_its_arrival() -> None:
    of = sample()
    later = pa.array([at + timedelta(days=9) for at in of.events["arrival"].to_pylist()], pa.timestamp("us", "UTC"))
    events = of.events.set_column(of.events.column_names.index("arrival"), "arrival", later)
    progress = of.progress.to_pylist(maps_as_pydicts="strict")
    for row in progress:
        row["committed_at"] += timedelta(days=9)
        row["visible"] = [(table, at + timedelta(days=9)) for table, at in row["visible"].items()]
    found = figures(replace(of, events=events, progress=pa.Table.from_pylist(progress, of.progress.schema)))
    assert (figures(of).clock, found.clock) == ("event", "arrival")


def test_a_range_that_was_counted_again_counts_once() -> None:
    first = {"topic": "sales", "partition": 0, "from": 0, "to": 8, "checked_at": START, **SOUND}
    unsound = first | {"silver": 5, "missing": 3}
    again = first | {"to": 10, "silver": 9, "duplicates": 1, "checked_at": START + timedelta(days=1)}
    (one,) = kept([again, unsound])
    assert (one.start, one.end, one.faults, one.parts["silver"], one.parts["missing"]) == (0, 10, 0, 9, 0)
    assert "all accounted for" in one.behind.say


def test_a_hole_between_two_ranges_is_missing() -> None:
    first = {"topic": "sales", "partition": 0, "from": 0, "to": 8, "checked_at": START, **SOUND, "silver": 8}
    (one,) = kept([first, first | {"from": 10, "to": 12, "silver": 2}])
    assert (one.parts["missing"], one.faults) == (2, 2)
    assert "2 do not add up" in one.behind.say


def test_speed_serves_what_no_night_has_settled() -> None:
    row = {"revision": 1, "settled_at": START, "run": "r"}
    settlements = [row | {"day": DAY - timedelta(days=back)} for back in (3, 1)]
    watermark = datetime(2026, 1, 31, 9, 50, tzinfo=UTC)
    latest = watermark + timedelta(minutes=10)
    found = served(DAY - timedelta(days=3), settlements, {DAY - timedelta(days=1)}, watermark, latest)
    assert [(one.layer, str(one.status), one.start.hour, one.end - one.start) for one in found] == [
        ("truth", "settled", 0, timedelta(days=1)),
        ("speed", "provisional", 0, timedelta(days=1)),
        ("truth", "corrected", 0, timedelta(days=1)),
        ("speed", "provisional", 0, timedelta(hours=9, minutes=50)),
        ("speed", "open", 9, timedelta(minutes=10)),
    ]


@pytest.mark.parametrize(
    ("change", "good", "said"),
    [
        ({"gaps": ()}, True, "Settled at 2026-02-01 02:04 UTC, revision 1: "),
        ({"settlements": ()}, False, "the day is not settled"),
        ({"gaps": (missed(DAY),)}, False, "4 records that may be of this day are lost"),
        ({"gaps": (missed(date(2026, 1, 2)),)}, True, "is explained and corrected."),
    ],
    ids=["sound", "not settled", "a gap of the day", "a gap of another day"],
)  # fmt: skip
def test_the_verdict_is_the_worst_that_is_true(change: dict[str, Any], good: bool, said: str) -> None:
    found = verdict(figures(replace(sample(), **change)))
    assert found[0] is good
    assert said in found[1]


def test_a_difference_without_a_cause_is_said_first() -> None:
    found = figures(sample(unexplained=3))
    assert verdict(found) == (False, "Look at this night: 3 differences have no cause.")
    assert {tile.name: tile.is_bad for tile in tiles(found)}["unexplained"]


def test_a_name_cannot_end_its_literal() -> None:
    assert quoted("o'clock\\") == r"'o\'clock\\'"


def test_gaps_keep_their_names() -> None:
    archive, stream = lost(sample().gaps, DAY)
    assert (archive.by, archive.start, archive.end, archive.note) == (
        "archive",
        40_000,
        40_260,
        "the disk was full (ada)",
    )
    assert "FROM bronze.gaps" in stream.behind.sql


def test_the_sample_adds_up() -> None:
    for row in sample(unexplained=2).summary:
        assert row["speed"] + sum(row[cause] for cause in CAUSES) + row["unexplained"] == row["truth"]
