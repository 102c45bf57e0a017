"""With TLS on, an option's services are encrypted, at no port at all, or refused: none is in the clear unnoticed."""

import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest
from cache_server import CacheServer
from typer.testing import CliRunner

from infra.commands import platform
from infra.failures import PermanentFailure
from infra.options import QUEUE
from infra.settings import Settings, settings
from infra.shop.followers.cache_client import client
from infra.shop.services import cache, connect
from infra.shop.settings import cache_socket
from infra.tls.prepare import prepare


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """With a path that has room for a socket's."""
    with TemporaryDirectory(prefix="daybreak-") as folder:
        monkeypatch.setenv("DAYBREAK_HOME", folder)
        monkeypatch.setenv("DAYBREAK_TLS", "on")
        settings.cache_clear()
        yield Path(folder)
    settings.cache_clear()


def test_the_queue_broker_is_refused_before_anything_is_changed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = CliRunner().invoke(platform.commands, ["up", "--with", QUEUE, "--only", "kafka"])
    assert isinstance(asked.exception, PermanentFailure)
    assert "the option queue speaks no TLS, and DAYBREAK_TLS is on" in str(asked.exception)
    assert [*home.iterdir()] == []
    # What was turned on before TLS was.
    with pytest.raises(PermanentFailure, match="daybreak up --without queue"):
        prepare(Settings(home=home, tls="on", options=QUEUE))
    assert not (home / "tls").exists()
    prepare(Settings(home=home, tls="on", options="shop-db,webhooks"))


def test_the_cache_is_at_a_socket_of_its_owner_and_no_port(home: Path) -> None:
    server = CacheServer(home, tls="on")
    server.start()
    try:
        assert server.process
        assert client(server.settings).ping()
        assert psutil.Process(server.process.pid).net_connections("inet") == []
        assert stat.S_IMODE(cache_socket(home).stat().st_mode) == 0o700
        assert cache.program(server.settings).ports == {}
    finally:
        server.kill()


def test_a_home_whose_path_no_socket_can_have_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    with pytest.raises(PermanentFailure, match="shorter path, or set DAYBREAK_CACHE_URL"):
        cache.prepare(Settings(home=deep, tls="on"))
    cache.prepare(Settings(home=deep))


def test_connects_interface_is_encrypted(home: Path) -> None:
    own = connect.properties(Settings(home=home, tls="on"))
    assert own["listeners"] == "https://127.0.0.1:21010"
    assert own["listeners.https.ssl.keystore.location"] == f"{home}/tls/server.p12"
    assert connect.properties(Settings(home=home, tls="off"))["listeners"] == "http://127.0.0.1:21010"
