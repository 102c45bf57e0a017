"""What fits: every cell is a figure of a lab's newest result, or the command that measures it."""

from dataclasses import replace
from pathlib import Path

import pytest
from lab_results import AT, ROWS, keep_all

from infra.lab.fit.need import Choice, Need, pick
from infra.lab.fit.table import Said, fit, labs, missing
from infra.lab.labs import DELIVERY, DIRECT, OVERLOAD, Lab
from infra.lab.result import Result, newest


def results(home: Path) -> dict[Lab, Result | None]:
    keep_all(home)
    return {lab: newest(home, lab) for lab in labs()}


def says(found: list[Said], need: Need, choice: Choice) -> list[str]:
    return [one.says for one in found if (one.need, one.choice) == (need, choice)]


def test_every_cell_is_filled_from_the_labs_own_results(tmp_path: Path) -> None:
    assert labs() == ROWS.keys()
    found = fit(results(tmp_path))
    assert {(one.need, one.choice) for one in found} == {(need, choice) for need in Need for choice in Choice}
    assert [one.says for one in found if one.at != AT] == []
    assert missing(found) == []


def test_a_cell_without_a_result_says_which_command_to_run(tmp_path: Path) -> None:
    found = fit(results(tmp_path) | {DELIVERY: None})
    assert [one.says for one in found if one.lab is DELIVERY] == ["not measured yet: daybreak lab delivery"]
    assert missing(found) == ["daybreak lab delivery"]


def test_a_command_stands_once_in_a_cell(tmp_path: Path) -> None:
    found = fit(results(tmp_path) | {DIRECT: None})
    assert says(found, Need.DIES, Choice.DIRECT) == ["not measured yet: daybreak lab direct"]


def test_a_row_that_needs_an_option_says_how_to_turn_it_on(tmp_path: Path) -> None:
    kept = results(tmp_path)
    overload = kept[OVERLOAD]
    assert overload
    without = replace(overload, rows=[row for row in overload.rows if row["transport"] != "queue broker"])
    found = fit(kept | {OVERLOAD: without})
    assert says(found, Need.FAST, Choice.QUEUE) == [
        "not measured yet: daybreak up --with queue, then daybreak lab overload"
    ]
    assert missing(found) == ["daybreak up --with queue, then daybreak lab overload"]
    assert says(found, Need.FAST, Choice.LOG) == [
        "0 lost; up to 15 wait, 8.0 MB on its disk; the newest comes after 2.0 s"
    ]


def test_a_result_of_another_version_is_to_be_measured_again(tmp_path: Path) -> None:
    old = Result("direct", AT, [{"way": "by pigeon", "lost": 7}], "", "", [])
    found = fit(results(tmp_path) | {DIRECT: old})
    assert {one.says for one in found if one.lab is DIRECT} == {"not measured yet: daybreak lab direct"}


def test_each_figure_is_that_of_its_own_row(tmp_path: Path) -> None:
    found = fit(results(tmp_path))
    # In the results of this test situation n and transport m have lost 100 n + m.
    assert says(found, Need.DIES, Choice.DIRECT) == [
        "a consumer is killed twice: 200 of 1,000 lost (TCP socket)",
        "the producer is killed with messages that wait: 307 of 1,000 lost (webhook, retried)",
    ]
    assert says(found, Need.FAST, Choice.DIRECT) == [
        "UDP unicast loses 15 of 20",
        "a full queue in the producer's memory refuses 14",
        "TCP socket: 0 lost, but sending takes 1.0 s",
    ]
    assert says(found, Need.DIES, Choice.LOG)[1:] == [
        "the leader is killed; acknowledged and lost: 0 (acks=1), 0 (acks=all, idempotent)",
        "it is killed while the followers pause; acknowledged and lost: 12 (acks=1), 0 (acks=all, idempotent)",
    ]
    assert says(found, Need.COST, Choice.QUEUE) == [
        "taken per second, acknowledged one by one: 1,002 (0 waiting), 1,005 (100 waiting), 1,008 (1,000 waiting)"
    ]
    assert says(found, Need.PARALLEL, Choice.LOG)[:2] == [
        "one member more than partitions: a2: 100 of p0; a3: 100 of p1; a4: none, idle",
        "one member hangs: its group is 170 records behind, the other group 0",
    ]
    assert says(found, Need.REPLAY, Choice.DIRECT) == [
        "of 101 that UDP unicast loses in an absence, a history in the producer leaves 103 lost"
    ]


def test_a_figure_is_picked_by_all_that_its_row_must_have() -> None:
    rows = [{"a": "x", "b": "y", "count": 1234}, {"a": "x", "b": "z", "count": 5}]
    assert pick(rows, "count", {"a": "x", "b": "z"}) == "5"
    assert pick(rows, "count", {"a": "x"}) == "1,234"
    with pytest.raises(LookupError, match="no row has"):
        pick(rows, "count", {"a": "z"})
