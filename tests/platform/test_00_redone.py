"""A night that redoes all settled days gives what the nights gave that did only what was new.

Early, when few days are settled: each costs it a night.
"""

from typing import Any

import pytest
from failpoints import DAY
from night_tables import STAMPS, TABLES, content
from running import Platform

pytestmark = pytest.mark.platform


def test_redoing_everything_gives_what_the_shortcut_gave(platform: Platform) -> None:
    before = {name: content(platform.rows(name), STAMPS) for name in TABLES}
    revisions = _revisions(platform)
    assert DAY in revisions
    past = len(platform.rows("reconciliation/past_settlements"))
    platform.run("batch", "night", "--date", str(DAY), "--full")
    for name in TABLES:
        assert content(platform.rows(name), STAMPS) == before[name], name
    assert _revisions(platform) == {day: revision + 1 for day, revision in revisions.items()}
    assert len({repr(row["offsets"]) for row in platform.rows("reconciliation/settlements", "offsets")}) == 1
    assert len(platform.rows("reconciliation/past_settlements")) == past + len(revisions)


def _revisions(platform: Platform) -> dict[Any, int]:
    return {row["day"]: row["revision"] for row in platform.rows("reconciliation/settlements")}
