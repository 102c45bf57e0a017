"""What the lab of acknowledgements says of given figures, and what it calls a broken promise."""

from datetime import UTC, datetime

import pytest
from acks_outcomes import outcomes

from infra.lab.acks import table
from infra.lab.acks.chart import chart
from infra.lab.acks.setting import Setting
from infra.lab.acks.situation import Situation
from infra.lab.labs import ACKS
from infra.lab.result import Result

LOST, DOUBLED, DISORDERED = ({what: 7} for what in ("lost", "doubled", "out_of_order"))


def test_a_row_names_situation_and_producer() -> None:
    first, *_ = table.rows(outcomes(well_none={"lost": 3}))
    assert (first["situation"], first["producer"], first["lost"]) == (Situation.WELL, Setting.NONE, 3)
    assert (first["p50 (ms)"], first["p99 (ms)"], first["bytes on disk"]) == ("1.5", "1,234.5", 600_000)


def test_the_sentence_says_what_each_wait_is_worth() -> None:
    said = table.shows(
        outcomes(
            killed_none={"lost": 1568},
            killed_leader={"lost": 9},
            paused_leader={"lost": 619},
            killed_all={"doubled": 4, "out_of_order": 2},
            paused_all={"doubled": 1},
        )
    )
    assert "acks=0 1,568 and acks=1 9, and 619 if its followers were behind" in said
    assert "with acks=all none of them were lost, but 5 stand in the log twice and 2 out of order" in said
    assert "an idempotent producer has none of all that" in said


@pytest.mark.parametrize(
    ("wrong", "is_broken"),
    [
        ({"killed_none": LOST}, False),
        ({"killed_leader": LOST}, False),
        ({"paused_leader": LOST}, False),
        ({"well_leader": LOST}, False),
        ({"killed_all": LOST}, True),
        ({"killed_all": DOUBLED}, False),
        ({"killed_all": DISORDERED}, False),
        ({"paused_idempotent": LOST}, True),
        ({"killed_idempotent": DOUBLED}, True),
        ({"killed_idempotent": DISORDERED}, True),
    ],
)
def test_only_what_kafka_promises_is_broken(wrong: dict[str, dict[str, int]], is_broken: bool) -> None:
    assert bool(table.broken(outcomes(**wrong))) == is_broken


def test_a_broken_promise_is_a_sentence() -> None:
    (said,) = table.broken(outcomes(killed_idempotent=DISORDERED))
    assert said == (
        "with acks=all, idempotent 7 acknowledged orders are out of order, and must not be where the leader is killed"
    )


def test_clients_take_idempotence_with_all_replicas_only() -> None:
    assert [(one.options["acks"], one.options["enable.idempotence"]) for one in Setting] == [
        ("0", False),
        ("1", False),
        ("all", False),
        ("all", True),
    ]


def test_bars_of_deaths_have_one_scale_and_waits_their_own() -> None:
    found = outcomes(killed_leader={"lost": 10}, paused_leader={"lost": 30, "doubled": 10})
    drawn = chart(Result(ACKS.name, datetime(2026, 1, 31, 12, tzinfo=UTC), table.rows(found), "", "", []))
    killed, paused, well = drawn.split("<figcaption>")[1:]
    assert (Situation.KILLED in killed, Situation.PAUSED in paused, Situation.WELL in well) == (True, True, True)
    assert '<span class="lost" style="width:25.00%">' in killed
    assert '<span class="lost" style="width:75.00%"></span><span class="doubled" style="width:25.00%">' in paused
    assert "30 lost, 10 doubled" in paused
    assert '<span class="median" style="width:0.12%"></span><span class="slowest" style="width:99.88%">' in well
    assert "a full bar is 40 orders, or 1,234.5 ms" in well
