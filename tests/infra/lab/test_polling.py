"""The polling lab's plan and figures: what a follower did not see, and which promise that breaks."""

import pytest

from infra.lab.polling import KEYS, plan
from infra.lab.polling_table import Change, Follower, Scene, broken, percentiles, rows, shows

WRITES = [Change("write", number) for number in range(4)]
DELETE = Change("delete", 2)


def scene() -> Scene:
    own = Scene()
    own.commits = {change: float(number) for number, change in enumerate([*WRITES, DELETE])}
    own.begun = {change: committed - 0.1 for change, committed in own.commits.items()}
    return own


def follower(way: str, *seen: Change, after: float = 0.5) -> Follower:
    seen_at = {change: scene().commits[change] + after for change in seen}
    return Follower(way, seen_at, queries=3, cpu=0.01, absent=[(2.5, 3.5)])


def test_only_rows_that_are_there_are_deleted() -> None:
    steps, there = plan(600, seed=7), set[int]()
    for what, key in steps:
        assert what == "write" or key in there
        (there.add if what == "write" else there.discard)(key)
        assert key < KEYS
    assert 0.1 < sum(what == "delete" for what, _ in steps) / 600 < 0.2
    assert steps == plan(600, seed=7) != plan(600, seed=8)


def test_a_row_says_what_was_unseen_and_how_late() -> None:
    (row,) = rows(scene(), [follower("a query every 1 s", WRITES[0], WRITES[1])])
    assert (row["values unseen"], row["deletions unseen"], row["unseen while away"]) == (2, 1, 1)
    assert (row["p50 (ms)"], row["p95 (ms)"], row["CPU (ms per change)"]) == ("500.0", "500.0", "2.0")


def test_a_delay_counts_only_where_the_followers_looked() -> None:
    found = follower("LISTEN/NOTIFY", *WRITES)
    found.seen[WRITES[3]] += 100
    assert rows(scene(), [found])[0]["p95 (ms)"] == "500.0"


@pytest.mark.parametrize(
    ("delays", "found"), [([], ("-", "-")), ([1.0], ("-", "-")), ([0.1, 0.2, 0.3], ("200.0", "290.0"))]
)
def test_percentiles_are_in_milliseconds(delays: list[float], found: tuple[str, str]) -> None:
    assert percentiles(delays) == found


def test_capture_must_see_all_and_notifications_what_was_listened_for() -> None:
    poll, everything = follower("a query", WRITES[0]), (*WRITES, DELETE)
    told, captured = follower("LISTEN/NOTIFY", *WRITES[:3], DELETE), follower("change capture", *everything)
    assert broken(scene(), [poll, told, captured]) == []
    assert "missed 3 values" in shows(scene(), [poll, told, captured])
    assert broken(scene(), [poll, told, follower("change capture", *WRITES)]) == ["change capture missed 1 changes"]
    deaf = follower("LISTEN/NOTIFY", *WRITES[:3])
    assert broken(scene(), [poll, deaf, captured]) == ["1 notifications did not reach a client that listened"]


def test_a_change_that_may_be_older_than_listening_was_not_for_it() -> None:
    told = Follower("LISTEN/NOTIFY", {}, absent=[(0.5, 0.95), (2.05, 2.5)])
    assert [told.was_absent(scene(), change) for change in WRITES] == [False, True, False, False]
