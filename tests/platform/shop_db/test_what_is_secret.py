"""After all that this platform has lived through: no secret is where it is not to be, and no file is open to others."""

from pathlib import Path

import pytest
from running import Platform
from secret_search import leaks, open_to_others

pytestmark = pytest.mark.platform


def test_no_secret_is_found_where_none_is_to_be(platform: Platform, tmp_path: Path) -> None:
    assert leaks(platform, tmp_path) == []


def test_nothing_in_the_home_is_open_to_others(platform: Platform) -> None:
    assert open_to_others(platform.settings.home) == []
