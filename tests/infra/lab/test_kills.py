"""Where the consumers of the delivery lab die."""

from collections import Counter

from infra.lab.kills import BATCH, MOST_BATCHES, Place, enough, kills


def test_each_place_has_its_share_of_the_deaths() -> None:
    assert Counter(kill.place for kill in kills(20, seed=7)) == dict.fromkeys(Place, 5)


def test_the_same_seed_kills_alike_and_another_one_elsewhere() -> None:
    assert kills(20, seed=7) == kills(20, seed=7) != kills(20, seed=8)


def test_every_death_comes_before_the_log_ends() -> None:
    for seed in range(50):
        plan = kills(20, seed)
        assert all(1 <= kill.batch <= MOST_BATCHES and 1 <= kill.written < BATCH for kill in plan)
        assert sum(kill.batch for kill in plan) * BATCH < enough(20)
