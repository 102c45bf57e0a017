"""Large parts may wait only for a micro-batch that is certain to come, and a repeated micro-batch lets the same ones wait."""

from typing import Any

import pytest
from checkpoint_files import Files

from streaming.positions.patience import Patience


def begun(files: Any, first: int = 6) -> Patience:
    """In a process that has had a micro-batch."""
    own = Patience(files)
    own.more_comes(first, waits=False, is_large=False)
    return own


@pytest.mark.parametrize(("waits", "is_large"), [(True, True), (True, False), (False, True)])
def test_parts_wait_if_more_comes_and_one_is_large(waits: bool, is_large: bool) -> None:
    files = Files()
    assert begun(files).more_comes(7, waits, is_large) is (waits and is_large)
    # To write a file takes time: only where it is of use.
    assert bool(files) is (waits and is_large)


@pytest.mark.parametrize("may_wait", [True, False])
def test_a_repeated_micro_batch_lets_the_same_wait(may_wait: bool) -> None:
    files: Any = Files()
    begun(files).more_comes(7, waits=may_wait, is_large=True)
    assert Patience(files).more_comes(7, waits=not may_wait, is_large=True) is may_wait


def test_the_first_micro_batch_of_a_process_gives_all_that_waits() -> None:
    files: Any = Files()
    begun(files).more_comes(7, waits=True, is_large=True)
    assert Patience(files).more_comes(8, waits=True, is_large=True) is False
