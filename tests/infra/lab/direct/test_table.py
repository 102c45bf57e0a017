"""What the lab of direct messaging says of its figures, which promises it holds to whom, and its chart."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from infra.lab.counts import Counts
from infra.lab.direct import table
from infra.lab.direct.chart import chart
from infra.lab.direct.figures import Figures
from infra.lab.direct.measure import TRANSPORTS, Outcome
from infra.lab.direct.situations import Situation
from infra.lab.result import Result
from infra.lab.transports.transport import Transport

SOUND = Figures(sent=50, counts=Counts(sent=100, lost=0, doubled=0), out_of_order=0, p50_ms=0.25, p99_ms=None)
FOUND = [Outcome(transport, situation, SOUND) for situation in Situation for transport in TRANSPORTS]


def found(transport: Transport, situation: Situation, lost: int, doubled: int = 0, late: int = 0) -> list[Outcome]:
    other = replace(SOUND, counts=Counts(100, lost, doubled), out_of_order=late)
    return [
        replace(one, figures=other) if (one.transport, one.situation) == (transport, situation) else one
        for one in FOUND
    ]


def test_it_says_what_an_absence_and_a_death_cost() -> None:
    assert table.broken(FOUND) == []
    said = table.shows(found(Transport.TCP, Situation.AWAY, lost=1234))
    assert "an absence costs a TCP consumer 1,234, one that asks for repetition none" in said
    assert "; 7 of those that wait for a retry die with the producer;" in table.shows(
        found(Transport.RETRIED, Situation.PRODUCER, lost=7)
    )


@pytest.mark.parametrize(
    ("transport", "situation", "promised"),
    [
        (Transport.TCP, Situation.WELL, True),
        (Transport.TCP, Situation.AWAY, False),
        (Transport.UDP, Situation.WELL, False),
        (Transport.NUMBERED, Situation.WELL, True),
        (Transport.NUMBERED, Situation.AWAY, False),
        (Transport.PUBSUB, Situation.WELL, False),
        (Transport.WEBHOOK, Situation.KILLED, False),
        (Transport.RETRIED, Situation.AWAY, True),
        (Transport.RETRIED, Situation.KILLED, True),
        (Transport.RETRIED, Situation.PRODUCER, False),
        (Transport.KAFKA, Situation.PRODUCER, True),
        (Transport.KAFKA, Situation.KILLED, True),
    ],
)
def test_a_loss_breaks_a_promise_only_where_one_was_given(
    transport: Transport, situation: Situation, promised: bool
) -> None:
    wrong = table.broken(found(transport, situation, lost=3))
    assert wrong == ([f"{transport} lost 3 deliveries, and must not where {situation}"] if promised else [])


def test_a_row_has_every_figure() -> None:
    (row,) = (row for row in table.rows(found(Transport.KAFKA, Situation.KILLED, 1, 2, 3)) if row["lost"])
    assert row == {
        "situation": "consumer 2 is killed twice",
        "transport": "Kafka",
        "orders": 50,
        "due": 100,
        "lost": 1,
        "doubled": 2,
        "out of order": 3,
        "p50 (ms)": "0.2",
        "p99 (ms)": "-",
    }


def test_a_bar_is_as_long_as_what_was_lost_and_says_it() -> None:
    rows = table.rows(found(Transport.KAFKA, Situation.KILLED, lost=30, doubled=10))
    drawn = chart(Result("direct", datetime(2026, 1, 31, tzinfo=UTC), rows, "", "", []))
    assert drawn.count("<figure>") == len(Situation)
    assert drawn.count("<li>") == len(Situation) * len(TRANSPORTS)
    assert '<span class="lost" style="width:75.00%"></span><span class="doubled" style="width:25.00%"></span>' in drawn
    assert "<span>30 lost, 10 doubled</span>" in drawn
    assert "a full bar is 40 % of the deliveries that were due" in drawn
    assert not re.search(r"src=|href=|url\(|<script", drawn)
