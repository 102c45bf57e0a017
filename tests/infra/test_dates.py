"""A day is written in one way, and what is none is answered with how to write one."""

from datetime import date

import pytest

from infra.dates import day_of
from infra.failures import PermanentFailure


def test_a_day_is_read_as_it_is_day_of() -> None:
    assert day_of("2026-01-31") == date(2026, 1, 31)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30", "31.01.2026", "2026-01-31 12:00"])
def test_what_is_no_day_is_answered_with_how_to_write_one(text: str) -> None:
    with pytest.raises(PermanentFailure) as refused:
        day_of(text)
    assert str(refused.value) == f"{text!r} is not a day: write it as YYYY-MM-DD"
