"""A state from a log: a snapshot may stand for what is before it, and the newest record of a key for all of the key."""

import pytest

from infra.lab.compaction import KEYS, state_of, updates

ALL = updates(400, seed=7)


def test_the_newest_record_of_a_key_counts_and_a_tombstone_deletes() -> None:
    assert state_of([("a", "1"), ("b", "2"), ("a", "3"), ("b", None)]) == {"a": "3"}


@pytest.mark.parametrize("place", range(0, 401, 40))
def test_a_snapshot_stands_for_the_log_before_it(place: int) -> None:
    assert state_of(ALL[place:], state_of(ALL[:place])) == state_of(ALL)


def test_the_newest_record_of_each_key_is_enough() -> None:
    newest = list(dict(ALL).items())
    assert len(newest) <= KEYS
    assert state_of(newest) == state_of(ALL)
    assert any(value is None for _, value in newest), "a tombstone is among them"


def test_the_same_seed_sends_the_same() -> None:
    assert updates(400, seed=7) == ALL != updates(400, seed=8)
