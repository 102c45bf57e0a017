"""What waiting buys, from the tables' rows: sums over days, smallest delays, and percentages that do not flatter."""

from collections import Counter
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from batch.commands import assembled
from batch.commands import curve as command
from batch.commands.curve import show_curve, span_of
from batch.report.curves import Curve, delay_for, drawn, percent
from infra.failures import PermanentFailure

DAYS = (date(2026, 1, 30), date(2026, 1, 31))
MEASURES = {"orders": 100, "revenue_cents": 5_000}
IN_TIME = {0: 90, 60: 98, 600: 99, None: 100}
"""Delay -> orders, hundredths of revenue and rows of one day that it covers, out of 100."""


def of_day(day: date, delays: dict[int | None, int], in_force: int = 600, view: str = "totals") -> list[dict[str, Any]]:
    return [
        {
            "day": day,
            "view": view,
            "measure": measure,
            "delay_seconds": delay,
            "in_force": delay == in_force,
            "events": 100,
            "events_in_time": in_time,
            "value": value,
            "value_in_time": value * in_time // 100,
            "rows": 100,
            "rows_final": in_time,
            "state_rows": None if delay is None else 10 + in_time,
            "run": "r",
        }
        for delay, in_time in delays.items()
        for measure, value in MEASURES.items()
    ]


def waits(day: date, basis: str, histogram: dict[int, int], view: str = "totals") -> list[dict[str, Any]]:
    return [
        {"day": day, "view": view, "basis": basis, "required_delay_seconds": wait, "events": number, "run": "r"}
        for wait, number in histogram.items()
    ]


def two_days() -> list[Curve]:
    rows = of_day(DAYS[0], {**IN_TIME, 300: 98}, in_force=300) + of_day(DAYS[1], IN_TIME)
    waited = [
        *(row for day in DAYS for row in waits(day, "log", {0: 90, 33: 8, 601: 2})),
        *waits(DAYS[0], "stream", {0: 99, 61: 1}),
        *waits(DAYS[1], "stream", {0: 100}),
    ]
    return drawn(rows, waited, 7)


def test_days_are_summed_and_a_delay_that_one_lacks_is_left_out() -> None:
    (found,) = two_days()
    assert found.days == DAYS
    assert [point.delay_seconds for point in found.points] == [0, 60, 600, None]
    assert [point.events for point in found.points] == [(180, 200), (196, 200), (196, 200), (200, 200)]
    assert [point.as_read for point in found.points] == [(199, 200), (199, 200), (200, 200), (200, 200)]
    assert [point.measures["revenue_cents"][0] for point in found.points] == [9_000, 9_800, 9_900, 10_000]
    assert [point.rows for point in found.points] == [(180, 200), (196, 200), (198, 200), (200, 200)]
    assert [point.state_rows for point in found.points] == [100, 108, 109, None]
    assert [point.in_force for point in found.points] == [False, False, True, False], "the newest day's setting"


def test_only_the_last_days_count() -> None:
    rows = of_day(DAYS[0], IN_TIME) + of_day(DAYS[1], {0: 1, 600: 100, None: 100})
    (found,) = drawn(rows, waits(DAYS[0], "log", {7: 100}) + waits(DAYS[1], "log", {0: 1, 9: 99}), 1)
    assert found.days == DAYS[1:]
    assert [point.events for point in found.points] == [(1, 100), (100, 100), (100, 100)]
    assert set(found.needed.values()) == {9}


def test_a_setting_newer_than_some_days_is_marked() -> None:
    rows = of_day(DAYS[0], IN_TIME) + of_day(DAYS[1], {**IN_TIME, 45: 95}, in_force=45)
    waited = [row for day in DAYS for row in waits(day, "log", {0: 90, 33: 8, 601: 2})]
    (found,) = drawn(rows, waited, 7)
    (marked,) = [point for point in found.points if point.in_force]
    assert (marked.delay_seconds, marked.events) == (45, (196, 200))
    assert (marked.rows, marked.measures["orders"], marked.state_rows) == ((0, 0), (0, 0), None)


def test_the_smallest_delay_is_exact() -> None:
    waited = Counter({0: 9_900, 5: 89, 77: 1, 3600: 9, 7200: 1})
    shares = ((99, 100, 0), (991, 1000, 5), (9989, 10_000, 5), (999, 1000, 77), (9991, 10_000, 3600), (1, 1, 7200))
    for some, whole, delay in shares:
        assert delay_for(waited, Fraction(some, whole)) == delay, (some, whole)
    assert delay_for(Counter(), Fraction(99, 100)) == 0


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ((99_996, 100_000), "99.996"),
        ((999_999, 1_000_000), "99.999"),
        ((10**12 - 1, 10**12), "99.999"),
        ((5, 5), "100"),
        ((0, 3), "0.000"),
        ((2, 3), "66.666"),
        ((0, 0), "-"),
        ((3, 2), "150.000"),
        ((-1, 2), "-50.000"),
    ],
)
def test_a_percentage_is_never_rounded_up(part: tuple[int, int], said: str) -> None:
    assert percent(part) == said


@pytest.mark.parametrize(("seconds", "said"), [(0, "0 s"), (59, "59 s"), (600, "10 min"), (7262, "2 h 1 min 2 s")])
def test_a_span_in_words(seconds: int, said: str) -> None:
    assert span_of(seconds) == said


def test_the_table_marks_the_setting_and_ends_with_the_night() -> None:
    paper = Console(record=True, width=160, highlight=False)
    show_curve(two_days()[0], paper)
    lines = paper.export_text().splitlines()
    assert "totals: 200 events, 200 rows, 2026-01-30 to 2026-01-31" in lines[0]
    assert lines[1].split()[:4] == ["delay", "events", "in", "time"]
    assert [line.split()[0] for line in lines[2:6]] == ["0", "1", "10", "the"]
    assert lines[4].split() == ["10", "min,", "in", "force", "98.000", "100", "99.000", "99.000", "99.000", "109"]
    assert lines[5].split()[2:] == ["100"] * 5
    assert "99 % need 601 s (10 min 1 s), 99.9 % need 601 s" in lines[6]


@pytest.mark.parametrize(
    ("found", "arguments", "said"),
    [
        ([], [], "no settled day has a curve yet"),
        (two_days(), ["--view", "other"], "no view 'other' has a curve; there are: totals"),
    ],
    ids=["no curve", "unknown view"],
)
def test_what_is_not_there_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, found: list[Curve], arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(command, "curves", lambda s, days: found)
    ended = CliRunner().invoke(assembled(), ["curve", *arguments])
    assert isinstance(ended.exception, PermanentFailure)
    assert said in str(ended.exception)
