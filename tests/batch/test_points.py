"""The arithmetic of a day's curve: what is recomputed, what is not, and how many rows are open at once."""

from collections import Counter

import pytest

from batch.curve.points import GRID, Lifetimes, Outcome, Waited, points, reached, steps
from streaming.shop.views.order_totals import ORDER_TOTALS

TRUTH = Outcome(9, (90, 95, 900))


@pytest.mark.parametrize(
    ("waits", "expected"),
    [
        ({}, []),
        ({0: 5}, []),
        ({0: 5, 7: 1}, [0]),
        ({0: 5, 7: 1, 8: 1, 900: 1}, [0, 8]),
        ({700: 1, 900: 1}, [700]),
        ({0: 5, 400_000: 1}, [0]),
        ({0: 5, 300_000: 1, 400_000: 1}, [0]),
    ],
    ids=["no event", "all in order", "one late", "two alike", "none in order", "one later than the grid", "two later"],
)
def test_a_view_is_recomputed_once_for_every_different_answer(waits: dict[int, int], expected: list[int]) -> None:
    assert steps(Counter(waits), in_force=800) == expected


def test_every_delay_has_the_outcome_of_the_longest_wait_that_it_covers() -> None:
    waits = Counter({5: 6, 61: 3, 900: 1, 400_000: 1})
    wanted = steps(waits, in_force=70)
    assert wanted == [5, 61, 900]
    outcomes = {step: Outcome(place, (place, place, place)) for place, step in enumerate(wanted)} | {None: TRUTH}
    waited = Waited(Counter({5: 5, 900: 1}), Counter(), waits)
    rows = [row for row in points(ORDER_TOTALS, waited, outcomes, Lifetimes(), 70) if row["measure"] == "items"]
    assert [row["delay_seconds"] for row in rows] == [*sorted({*GRID, 70}), None]
    for row in rows[:-1]:
        step = reached(waits, row["delay_seconds"])
        expected = Outcome(0, (0, 0, 0)) if step is None else outcomes[step]
        assert (row["rows_final"], row["value_in_time"]) == (expected.final, expected.sums[1])
        assert row["events_in_time"] == (row["delay_seconds"] >= 10) * 5 + (row["delay_seconds"] >= 900)
        assert row["in_force"] == (row["delay_seconds"] == 70)
    night = rows[-1]
    assert (night["rows_final"], night["value_in_time"], night["events_in_time"], night["state_rows"]) == (
        9,
        95,
        6,
        None,
    )
    assert {(row["events"], row["rows"], row["value"]) for row in rows} == {(6, 9, 95)}


@pytest.mark.parametrize(
    ("rows", "delay", "held"),
    [
        ([], 600, 0),
        ([(0, 60)], 0, 1),
        ([(0, 60), (60, 120), (120, 180)], 0, 1),
        ([(0, 60), (60, 120), (120, 180)], 1, 2),
        ([(0, 60), (60, 120), (120, 180)], 60, 2),
        ([(0, 60), (60, 120), (120, 180)], 61, 3),
        ([(5, 5), (5, 5)], 0, 0),
        ([(5, 5), (5, 5)], 1, 2),
        ([(0, 10), (3, 4), (5, 6), (9, 12)], 0, 2),
    ],
)
def test_the_most_rows_that_are_open_at_once(rows: list[tuple[int, int]], delay: int, held: int) -> None:
    lives = Lifetimes(Counter(opens for opens, _ in rows), Counter(closes for _, closes in rows))
    assert lives.held(delay) == held
    instants = {at for opens, closes in rows for at in (opens, closes + delay)}
    open_then = [sum(opens <= at < closes + delay for opens, closes in rows) for at in instants]
    assert held == max(open_then, default=0)
