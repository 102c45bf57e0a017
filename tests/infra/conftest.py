"""What these tests share: a home with its secrets, a cache, a database, and a queue broker."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cache_server import CacheServer
from database_server import DatabaseServer
from queue_server import QueueServer

from infra import secrets
from infra.settings import Settings, load, settings


@pytest.fixture
def s(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of a home with its secrets, which is this process's own."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    secrets.ensure(load())
    settings.cache_clear()
    return settings()


@pytest.fixture
def cache_server(tmp_path: Path) -> Iterator[CacheServer]:
    """A running server; the test may kill it and start it again."""
    own = CacheServer(tmp_path)
    own.start()
    yield own
    own.kill()


@pytest.fixture(scope="module")
def server() -> Iterator[DatabaseServer]:
    """A running Postgres with the shop's tables."""
    # Postgres's own user must be able to enter. A folder of pytest's would be closed to it by the next session of pytest, be it
    # one that a test runs.
    with TemporaryDirectory(prefix="daybreak-postgres-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        own = DatabaseServer(home)
        own.start()
        yield own
        own.stop()


@pytest.fixture(scope="module")
def queue_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    """A running queue broker."""
    own = QueueServer(tmp_path_factory.mktemp("queue server"))
    own.start()
    yield own
    own.kill()
