"""A span of time is written in the unit that fits it."""

import pytest

from infra.durations import span


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(0, "0.0 s"), (8.34, "8.3 s"), (119.9, "119.9 s"), (120, "2 min"), (7199, "120 min"), (7200, "2.0 h")],
)
def test_a_span_in_its_unit(seconds: float, written: str) -> None:
    assert span(seconds) == written


def test_from_two_days_on_in_days() -> None:
    assert (span(172_799), span(172_800), span(14 * 86_400)) == ("48.0 h", "2.0 d", "14.0 d")
