"""After everything else: what the platform has written outside its data has a bound, each file of it."""

import pytest
from bounds import unbounded
from running import Platform

pytestmark = pytest.mark.platform


def test_every_file_outside_the_data_has_a_bound(platform: Platform) -> None:
    assert unbounded(platform.settings.home) == []
