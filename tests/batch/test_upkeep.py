"""The night cleans up its tables by itself, once a day and not in its first night."""

import os
import time
from pathlib import Path

import pytest

from batch.night import upkeep
from infra.airflow import old_runs
from infra.lake.upkeep import DAY_SECONDS
from infra.settings import Settings


@pytest.fixture
def tidied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tables were tidied, a number per time."""
    times: list[int] = []
    monkeypatch.setattr(upkeep, "settings", lambda: Settings(home=tmp_path))
    monkeypatch.setattr(upkeep, "tidy", lambda tables, _: times.append(len(tables)))
    return times


def test_the_first_night_only_begins_to_count(tidied: list[int]) -> None:
    assert not upkeep.tidy_if_due([])
    assert not upkeep.tidy_if_due([])
    assert tidied == []


def test_a_day_later_it_is_due_once(tidied: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Path] = []
    monkeypatch.setattr(old_runs, "remove_old", lambda s: looked.append(s.home) or 0)
    upkeep.tidy_if_due([])
    yesterday = time.time() - DAY_SECONDS - 1
    os.utime(upkeep._mark(), (yesterday, yesterday))
    assert upkeep.tidy_if_due([])
    assert not upkeep.tidy_if_due([])
    assert tidied == [0]
    assert len(looked) == 1
