"""Why is this number so: every answer to a row in its time, and the events that made it another."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from explained import (
    DEFINITION,
    FIRST,
    GENERATION,
    MINUTE_KEY,
    ORDER_KEY,
    SECOND,
    decision,
    event,
    fill,
    minute,
    row,
    said,
    second,
    tables,
)
from typer.testing import CliRunner

from batch.commands.explain import commands
from batch.explain.screen import FEW_EVENTS, WIDTH, lines
from batch.explain.steps import Kind, Step, steps
from batch.settlement.decisions import DECISIONS
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.bronze import BRONZE
from streaming.tables.silver import SILVER
from streaming.tables.speed import speed_table
from streaming.versions.generation import adopt

pytestmark = pytest.mark.slow


def places(one: Step) -> list[str]:
    return [event.place for event in one.events]


def test_the_answers_of_a_minute_stand_in_the_order_of_time(settled: None) -> None:
    found = steps(row("order_totals", "2026-01-31", "12:00"))
    assert [(one.kind, one.at) for one in found] == [
        (Kind.SAID, second(1)),
        (Kind.SAID, second(2)),
        (Kind.FINAL, second(5)),
        (Kind.CORRECTED, FIRST),
        (Kind.APPROVED, FIRST + timedelta(hours=9, minutes=-7)),
        (Kind.CORRECTED, SECOND),
    ]
    answers = [one for one in found if one.kind is not Kind.APPROVED]
    assert [(one.row or {})["orders"] for one in answers] == [2, 3, 3, 4, 5]
    assert [(one.was or {}).get("orders") for one in answers] == [None, 2, 3, 3, 4]
    assert {one.facts["definition"] for one in answers} == {DEFINITION}
    assert [one.facts["batch_id"] for one in found[:3]] == [1, 2, 5]
    first, second_night = found[3].facts, found[5].facts
    assert (first["cause"], first["run"], first["sequence"]) == ("late", "run-1", 1)
    assert (first["decided_by"], first["note"]) == ("ann", "I looked")
    assert first["decided_at"] == FIRST - timedelta(minutes=8)
    assert (second_night["revision"], second_night["run"], "decided_by" in second_night) == (2, "run-2", False)


def test_of_a_sum_only_the_events_that_made_the_difference_are_told(settled: None) -> None:
    of = row("order_totals", "2026-01-31T12:00:00Z")
    found = steps(of)
    assert [(places(one), one.more) for one in found] == [
        ([], 2),
        ([], 1),
        ([], 0),
        (["orders-0 at 4"], 0),
        ([], 0),
        (["orders-0 at 6"], 0),
    ]
    (late,) = found[3].events
    assert (late.late_by_ms, late.cause, late.revision, late.arrived) == (90_000, "late", 1, second(120.5))
    assert len(of.events) == 5, "its minute's alone, and no payment"


def test_of_a_part_all_events_are_told_each_where_it_counted(settled: None) -> None:
    found = [one for one in steps(row("order_payments", "o-1")) if one.kind is not Kind.APPROVED]
    assert [(one.kind, places(one)) for one in found] == [
        (Kind.SAID, ["orders-0 at 1"]),
        (Kind.SAID, ["payments-0 at 0"]),
        (Kind.UNCHANGED, ["payments-0 at 3"]),
        (Kind.CORRECTED, ["payments-0 at 1"]),
        (Kind.SETTLED, ["payments-0 at 4"]),
    ]
    assert found[3].events[0].cause == "partner_late"
    assert [(one.row or {})["payment_id"] for one in found] == [None, "p-1", "p-1", "p-0", "p-0"]


def test_the_screen_is_a_screen(settled: None) -> None:
    for view, key in (("order_totals", MINUTE_KEY), ("gold.fct_order_payments", ORDER_KEY)):
        ended = CliRunner().invoke(commands, [view, key])
        assert ended.exit_code == 0, ended.output
        shown = ended.output.splitlines()
        assert max(map(len, shown)) <= WIDTH
        assert len(shown) < 30
    ended = CliRunner().invoke(commands, ["order_totals", MINUTE_KEY])
    assert "Corrected, the truth since 2026-02-02 03:00:00" in ended.output
    assert "orders 3 -> 4" in ended.output
    assert "approved by ann at 2026-02-01 02:52:00: 'I looked'" in ended.output
    assert "5 events can be behind the row (2 of them told above)" in ended.output
    (late,) = [line for line in ended.output.splitlines() if "orders-0 at 6" in line]
    told = ["order_placed orders-6", "12:00:45", "12:02:15", "1.5 min", "orders-0 at 6", "late"]
    assert re.split(r" {2,}", late.strip()) == told


def test_the_same_as_json_has_every_event_with_its_payload(settled: None) -> None:
    ended = CliRunner().invoke(commands, ["order_totals", "window_start=2026-01-31 12:00", "--json"])
    found = json.loads(ended.output)
    assert found["key"] == json.loads(MINUTE_KEY)
    assert (found["day"], found["status"], found["row"]["orders"]) == ("2026-01-31", "corrected", 5)
    assert [one["kind"] for one in found["steps"]] == ["said", "said", "final", "corrected", "approved", "corrected"]
    assert found["steps"][3]["decided_by"] == "ann"
    (told,) = found["steps"][5]["events"]
    assert (told["payload"]["order_id"], told["generation"], told["batch_id"]) == ("o-6", GENERATION, 9)
    assert found["events"] == {
        "in_all": 5,
        "told": 2,
        "of": "of orders, that happened from 2026-01-31 12:00 before 2026-01-31 12:01",
    }


def test_a_day_that_waits_says_for_what(local_lake: Path) -> None:
    """No night has settled it: two events are late, and one person has said no."""
    own = [(table, rows) for table, rows in tables() if table.id.startswith(("silver/", "speed/"))]
    fill([*own, (DECISIONS, [decision(1, "requested", None, "run-1")])])
    waits = row("order_totals", "2026-01-31 12:00")
    assert [(one.kind, places(one)) for one in steps(waits)[3:]] == [
        (Kind.REQUESTED, []),
        (Kind.NOT_COUNTED, ["orders-0 at 4", "orders-0 at 6"]),
    ]
    text = "\n".join(lines(waits, steps(waits)))
    assert "Provisional, the stream's answer: window_end 2026-01-31 12:01:00, orders 3" in text
    assert "daybreak decide --date 2026-01-31 --approve" in " ".join(text.split())


def test_a_row_that_the_generation_in_force_does_not_have_is_none(local_lake: Path) -> None:
    fill([(speed_table(ORDER_TOTALS), [said(ORDER_TOTALS, 1, minute(2))]), (BRONZE, [])])
    adopt(GENERATION)
    assert (row("order_totals", "2026-01-31 12:00").row or {})["orders"] == 2
    adopt("20260201T000000-0000000b")
    of = row("order_totals", "2026-01-31 12:00")
    assert of.row is None
    assert [one.kind for one in steps(of)] == [Kind.SAID, Kind.DROPPED]
    assert any("does not have the row" in line for line in lines(of, steps(of)))


def test_a_long_story_is_told_by_its_ends_and_counted(local_lake: Path) -> None:
    many = [event(number, second(number), number, 1000) for number in range(50)]
    answers = [said(ORDER_TOTALS, number, minute(number)) for number in range(1, 41)]
    fill([(SILVER, many), (speed_table(ORDER_TOTALS), answers)])
    of = row("order_totals", "2026-01-31 12:00")
    shown = list(lines(of, steps(of)))
    assert [line.strip() for line in shown if "--json" in line] == [
        "... 36 more answers (--json)",
        f"... {50 - FEW_EVENTS} more events (--json)",
    ]
    assert len(steps(of)) == 41
    assert len(shown) < 35
