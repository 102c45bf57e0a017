"""What these tests share: a cache, and a database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cache_server import CacheServer
from database_server import DatabaseServer


@pytest.fixture
def cache_server(tmp_path: Path) -> Iterator[CacheServer]:
    """A running server; the test may kill it and start it again."""
    own = CacheServer(tmp_path)
    own.start()
    yield own
    own.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DatabaseServer]:
    """A running Postgres with the shop's tables."""
    # Postgres's own user must be able to enter.
    home = tmp_path_factory.mktemp("postgres")
    for folder in (home, *home.parents[:2]):
        folder.chmod(0o755)
    own = DatabaseServer(home)
    own.start()
    yield own
    own.stop()
