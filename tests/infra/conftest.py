"""What these tests share: a cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cache_server import CacheServer


@pytest.fixture
def cache_server(tmp_path: Path) -> Iterator[CacheServer]:
    """A running server; the test may kill it and start it again."""
    own = CacheServer(tmp_path)
    own.start()
    yield own
    own.kill()
