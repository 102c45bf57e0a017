"""Senders: kept in a file of their owner's, changed by commands, and a secret is shown once."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from infra.failures import PermanentFailure
from infra.settings import settings
from streaming.commands.webhooks import commands
from streaming.webhooks import senders
from streaming.webhooks.senders import Senders
from streaming.webhooks.signature import key_of


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    yield tmp_path / "webhooks.json"
    settings.cache_clear()


def run(*arguments: str) -> str:
    done = CliRunner().invoke(commands, ["webhooks", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_secret_is_shown_once_and_kept_for_its_owner_only(file: Path) -> None:
    said = run("add", "partner", "--topic", "orders", "--topic", "clicks", "--per-second", "5")
    secret = said.splitlines()[0]
    found = senders.read(file)["partner"]
    assert (found.topics, found.per_second) == (("orders", "clicks"), 5.0)
    assert found.keys(time.time()) == [key_of(secret)]
    assert file.stat().st_mode & 0o777 == 0o600
    assert secret not in repr(found)
    assert secret not in run("list") + run("list", "--json")
    assert json.loads(run("list", "--json"))["topics"] == ["orders", "clicks"]


def test_a_new_secret_lets_the_old_one_go_on_for_a_while(file: Path) -> None:
    old = key_of(run("add", "partner", "--topic", "orders").splitlines()[0])
    new = key_of(run("rotate", "partner", "--keep-hours", "1").splitlines()[0])
    found = senders.read(file)["partner"]
    assert found.keys(time.time()) == [old, new]
    assert found.keys(time.time() + 3601) == [new]
    newest = key_of(run("rotate", "partner", "--keep-hours", "0").splitlines()[0])
    assert senders.read(file)["partner"].keys(time.time()) == [newest]


def test_a_running_program_sees_each_change(file: Path) -> None:
    known = Senders(file)
    assert known.now() == {}
    run("add", "partner", "--topic", "orders")
    assert known.now()["partner"].per_second == 100
    run("change", "partner", "--topic", "clicks", "--per-second", "7")
    assert (known.now()["partner"].topics, known.now()["partner"].per_second) == (("clicks",), 7)
    run("remove", "partner")
    assert known.now() == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "Partner", "--topic", "orders"], "no name of a sender"),
        (["add", "partner"], "say what partner may write: --topic, one of orders"),
        (["add", "partner", "--topic", "alerts"], "only the stream writes the topic 'alerts'"),
        (["add", "partner", "--topic", "order"], "'order' is no topic of the platform; there is orders"),
        (["add", "there", "--topic", "orders"], "there is a sender there"),
        (["rotate", "gone"], "there is no sender gone; there is there"),
    ],
)
def test_a_wrong_command_says_what_is_right_and_changes_nothing(file: Path, arguments: list[str], said: str) -> None:
    run("add", "there", "--topic", "orders")
    before = file.read_text()
    with pytest.raises(PermanentFailure, match=said):
        run(*arguments)
    assert file.read_text() == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"senders": {"a": {"secrets": ["whsec_secret"]}}}'])
def test_a_damaged_file_lets_nobody_in_and_is_not_quoted(file: Path, text: str) -> None:
    known = Senders(file)
    file.write_text(text)
    for _ in range(2):
        with pytest.raises(PermanentFailure, match="is no file of senders") as wrong:
            known.now()
        assert "whsec" not in str(wrong.value)
    with pytest.raises(PermanentFailure, match="is no file of senders"):
        run("add", "partner", "--topic", "orders")
    assert file.read_text() == text
