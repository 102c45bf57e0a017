"""What the lab of the queue says of what it found, which promises it holds to whom, and its chart."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from queue_outcomes import SOUND, other

from infra.lab.queue import promises, table
from infra.lab.queue.chart import chart
from infra.lab.queue.job import Way
from infra.lab.queue.situations import COPIED, REPEATED, SHARED, Situation
from infra.lab.result import Result

QUEUE, SHARE, PARTITION = Way


def test_each_way_has_its_cell_for_each_situation() -> None:
    cells = [tuple(row[way] for way in Way) for row in table.rows(SOUND)]
    assert cells[: len(Situation)] == [
        ("150 and 150",) * 3,
        ("100 and 100",) * 3,
        ("m1, m3, m5", "m1, m3, m5", "m5"),
        ("m4, m3, m5", "m4, m3, m5", "m3, m4, m5"),
        ("m3, m5", "-", "m3, m5"),
        ("3 doubled, 0 lost",) * 3,
        (
            "3; a dead letter, the others are processed",
            "3; given up and gone, the others are processed",
            "5; it is tried again and again, m4, m5 wait",
        ),
        ("0", "100", "100"),
    ]


def test_speeds_are_told_for_each_number_of_waiting_messages() -> None:
    told = {str(row["what happens"]): tuple(row[way] for way in Way) for row in table.rows(SOUND)[len(Situation) :]}
    assert told["taken per second, 0 waiting, not durable"] == (1_001, "-", "-")
    assert told["taken per second, 0 waiting"] == (1_002, 1_003, 1_004)
    assert told["sent per second meanwhile, 1,000 waiting"] == (2_000,) * 3
    assert len(told) == 8


def test_the_story_is_told_as_it_happened() -> None:
    queue, _, partition = table.story(SOUND)
    assert queue == (
        "queue: 2 takes m1; 1 takes m2; 2 takes m3; 1 takes m4; 2 dies at m3; 1 takes m3; 1 takes m5. "
        "Consumer 1 has processed m2, m4, m3, m5."
    )
    assert "2 takes m3; 2 dies at m3; 1 takes m3; 1 takes m4" in partition


def test_the_sentence_has_the_figures() -> None:
    said = table.shows(SOUND)
    assert "a queue lets consumer 1 process m4, m3, m5, a partition m3, m4, m5" in said
    assert "a dead letter after 3 deaths, and still holds up a partition after 5" in said
    assert "finds 0 of 100 messages in a queue and 100 in a log" in said
    assert "with 1,000 waiting, 1,008 are taken per second from the queue and 1,010 from the log" in said


def test_nothing_is_broken_where_all_promises_are_kept() -> None:
    assert promises.broken(SOUND) == []


@pytest.mark.parametrize(
    ("way", "situation", "found", "said"),
    [
        (QUEUE, Situation.BALANCE, {"worked": [(1, 1)] * SHARED}, ["consumers that share get each message once"]),
        (SHARE, Situation.FAN_OUT, {"worked": [(1, 1)]}, ["each subscriber gets all"]),
        (QUEUE, Situation.EXPLICIT, {"worked": [(1, 5)]}, ["what was not acknowledged comes again, and nothing else"]),
        (
            PARTITION,
            Situation.EXPLICIT,
            {"worked": [(1, 1), (1, 3), (1, 5)]},
            ["what is behind the committed offset comes again, and nothing else"],
        ),
        (QUEUE, Situation.STORY, {"worked": [(1, 3), (1, 4), (1, 5)]}, []),
        (QUEUE, Situation.STORY, {"worked": [(1, 4), (1, 5)]}, ["what a dead consumer had goes to another one"]),
        (PARTITION, Situation.STORY, {"worked": [(1, 4), (1, 3), (1, 5)]}, ["its order is kept"]),
        (QUEUE, Situation.OWN, {"worked": [(3, 5), (3, 3)]}, ["who has it for himself gets it in order"]),
        (
            SHARE,
            Situation.REPEATED,
            {"worked": [(1, number) for number in range(2, REPEATED + 1)]},
            ["nothing is lost"],
        ),
        (QUEUE, Situation.POISON, {"deaths": 4}, ["a message is given up after its deliveries, and no other"]),
        (QUEUE, Situation.POISON, {"dead_letters": 0}, ["what is given up is a dead letter"]),
        (PARTITION, Situation.POISON, {"deaths": 40}, []),
        (QUEUE, Situation.LATER, {"worked": [(2, 1)]}, ["what is acknowledged is gone"]),
        (
            PARTITION,
            Situation.LATER,
            {"worked": [(2, number) for number in range(2, COPIED + 2)]},
            ["a new group finds the whole log"],
        ),
    ],
)
def test_a_promise_that_is_not_kept_is_named(way: Way, situation: Situation, found: Any, said: list[str]) -> None:
    assert promises.broken(other(way, situation, **found)) == [f"{way}: {one}" for one in said]


def test_the_chart_marks_what_comes_late_and_has_a_bar_per_speed() -> None:
    drawn = chart(Result("queue", datetime.now(UTC), table.rows(SOUND), "", "", []))
    assert drawn.count("<figure>") == 1 + len(Way)
    assert drawn.count('<span class="step late">m3 late</span>') == 2
    assert drawn.count('<span class="step">m3</span>') == 1
    assert '<span class="taken" style="width:100.00%"></span></span><span>1,008</span>' in drawn
    assert drawn.count('class="taken"') == 10
    assert not re.search(r"src=|href=|url\(|<script", drawn)
