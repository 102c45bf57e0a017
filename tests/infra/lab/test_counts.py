"""Lost, doubled, lag and where a successor goes on: counted from known lists."""

import pytest

from infra.lab.counts import Counts, count
from infra.lab.reads import Read, counted, goes_on_at, lag, per_member


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("abcd", Counts(sent=4, lost=0, doubled=0)),
        ("", Counts(sent=4, lost=4, doubled=0)),
        ("abd", Counts(sent=4, lost=1, doubled=0)),
        ("aabccd", Counts(sent=4, lost=0, doubled=2)),
        ("aaab", Counts(sent=4, lost=2, doubled=1)),
    ],
)
def test_lost_is_never_found_and_doubled_is_found_again(found: str, expected: Counts) -> None:
    assert count("abcd", found) == expected


def test_a_record_that_nobody_sent_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 records were found that nobody sent"):
        count("abcd", "abz")


def test_a_successor_reads_again_what_was_not_committed() -> None:
    dead = [Read("a1", 0, offset) for offset in range(5)]
    successor = [Read("a2", 1, 0), *(Read("a2", 0, offset) for offset in range(3, 8))]
    reads = dead + successor
    assert goes_on_at(reads, "a1", [0]) == {0: 3}
    assert counted(reads, {0: 8, 1: 1}) == Counts(sent=9, lost=0, doubled=2)
    assert per_member(reads) == {"a1": {0: 5}, "a2": {0: 5, 1: 1}}


def test_what_was_committed_unread_is_lost_and_the_rest_waits() -> None:
    reads = [Read("a1", 0, 0), Read("a1", 0, 2), Read("a1", 0, 3)]
    assert counted(reads, {0: 3}) == Counts(sent=3, lost=1, doubled=0)
    assert lag({0: 10, 1: 5}, {0: 3}) == 12
