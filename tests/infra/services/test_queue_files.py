"""The queue broker's files: what the settings say, and the password in one of them only."""

import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pydantic import SecretStr

from infra.services import queue
from infra.services.queue_files import files
from infra.settings import Settings

CORE = "{urn:activemq:core}"


@pytest.fixture
def s(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "a & b", queue_password=SecretStr("a-secret"), queue_disk_mb=77, queue_attempts=5)


def test_settings_bound_disk_and_tries(s: Settings) -> None:
    core = ElementTree.fromstring(files(s)["broker.xml"])[0]
    (address,) = core.iter(f"{CORE}address-setting")
    said = {line.tag.removeprefix(CORE): line.text for line in address}
    assert (said["page-limit-bytes"], said["page-full-policy"]) == ("77M", "FAIL")
    assert (said["address-full-policy"], said["max-delivery-attempts"]) == ("PAGE", "5")
    assert core.findtext(f"{CORE}journal-directory") == f"{s.home}/queue/data/journal"


def test_the_one_way_in_is_stomp_on_loopback(s: Settings) -> None:
    (acceptor,) = ElementTree.fromstring(files(s)["broker.xml"]).iter(f"{CORE}acceptor")
    assert (acceptor.text or "").startswith(f"tcp://127.0.0.1:{s.queue_port}?protocols=STOMP;")
    assert not list(ElementTree.fromstring(files(s)["management.xml"]))


def test_the_password_is_in_one_file_of_its_owner(s: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.setup.on_demand.ensure", lambda step: None)
    queue.prepare(s)
    etc = s.home / "queue" / "etc"
    assert [path.name for path in etc.iterdir() if "a-secret" in path.read_text()] == ["users.properties"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in etc.iterdir()} == {0o600}
    assert not any("a-secret" in part for part in queue.command(s))
