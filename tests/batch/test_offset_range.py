"""A span's size is its offsets that no gap covers, however the gaps lie."""

import pytest

from batch.conservation.offset_range import OffsetRange, Range, uncovered


@pytest.mark.parametrize(
    ("ranges", "left"),
    [
        ([], 10),
        ([(0, 5)], 10),
        ([(25, 30)], 10),
        ([(0, 10), (20, 30)], 10),
        ([(5, 12)], 8),
        ([(18, 25)], 8),
        ([(12, 14)], 8),
        ([(12, 14), (13, 16)], 6),
        ([(13, 16), (12, 14), (12, 13)], 6),
        ([(10, 20)], 0),
        ([(0, 15), (15, 99)], 0),
    ],
)
def test_offsets_outside_of_ranges_are_counted(ranges: list[Range], left: int) -> None:
    assert uncovered((10, 20), ranges) == left


def test_an_empty_range_has_no_offsets() -> None:
    assert uncovered((10, 10), [(5, 15)]) == 0
    assert uncovered((10, 7), []) == 0


def test_what_the_log_lost_is_counted_outside_both_kinds_of_gap() -> None:
    span = OffsetRange("orders", 0, 10, 20, log_first=16, gaps=((12, 14),), unread=((14, 15),), accepted=((18, 19),))
    assert (span.size, span.size_in_gaps) == (7, 2)
    left = span.counted_of([(0, 30)])
    assert left == [(10, 12), (14, 18), (19, 20)]
    assert span.gone(left) == [(10, 12), (15, 16)]
