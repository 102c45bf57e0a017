"""Targets: kept in a file of their owner's, changed by commands, and a secret is shown once."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from infra.failures import PermanentFailure
from infra.settings import load, settings
from streaming.commands.notify import commands
from streaming.notify import targets
from streaming.notify.log import Place, begins


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    yield tmp_path / "notify.json"
    settings.cache_clear()


def run(*arguments: str) -> str:
    done = CliRunner().invoke(commands, ["notify", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


URL = "https://example.org:8443/hooks/1?a=b"


def test_a_target_is_its_owners_and_its_secret_shown_once(file: Path) -> None:
    both = ("--topic", "alerts", "--topic", "corrections")
    secret = run("add", "partner", "--url", URL, *both, "--from-beginning").strip()
    found = targets.read(file)["partner"]
    assert (found.url, found.mail, found.topics, found.start) == (URL, None, ("alerts", "corrections"), {})
    assert [one.text for one in found.secrets] == [secret]
    assert file.stat().st_mode & 0o777 == 0o600
    assert secret not in repr(found)
    with targets.changing(file) as known:
        known["other"] = targets.Target("other", "t2", ("alerts",), mail="a@b", start={"alerts/0": ("id", 7)})
    assert targets.read(file) == known


def test_a_new_secret_lets_the_old_one_go_on_for_a_while(file: Path) -> None:
    old = run("add", "partner", "--url", URL, "--from-beginning").strip()
    new = run("rotate", "partner").strip()
    kept = targets.read(file)["partner"].secrets
    assert [one.text for one in kept] == [old, new]
    assert kept[0].until is not None
    assert kept[0].until - time.time() == pytest.approx(24 * 3600, abs=60)
    assert kept[1].until is None
    newest = run("rotate", "partner", "--keep-hours", "0").strip()
    assert [one.text for one in targets.read(file)["partner"].secrets] == [newest]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "Partner", "--url", URL], "no name of a target"),
        (["add", "partner"], "--url or --mail, one of them"),
        (["add", "partner", "--url", URL, "--mail", "a@b"], "--url or --mail, one of them"),
        (["add", "partner", "--url", URL, "--topic", "orders"], "orders cannot be sent; there is alerts, corrections"),
        (["add", "partner", "--url", "ftp://example.org/"], "is no URL"),
        (["add", "partner", "--url", "https://"], "is no URL"),
        (["add", "partner", "--url", "https://a:b/"], "is no URL"),
        (["add", "partner", "--url", "https://a/\n"], "is no URL"),
        (["add", "partner", "--url", "https://me:secret@example.org/"], "with a user, a password or a # is not taken"),
        (["add", "partner", "--mail", "a@b"], "there is no mail server: set DAYBREAK_SMTP_HOST"),
        (["add", "partner", "--mail", "a@b, c@d"], "is no mail address"),
        (["add", "partner", "--mail", "a@b\r\nBcc: c@d"], "is no mail address"),
        (["add", "there", "--url", URL], "there is a target there"),
        (["rotate", "gone"], "there is no target gone; there is there"),
        (["test", "gone"], "there is no target gone"),
        (["resend", "gone"], "there is no target gone"),
    ],
)
def test_a_wrong_command_says_what_is_right_and_changes_nothing(file: Path, arguments: list[str], said: str) -> None:
    run("add", "there", "--url", URL, "--from-beginning")
    before = file.read_text()
    with pytest.raises(PermanentFailure, match=said):
        run(*arguments, *(["--from-beginning"] if arguments[0] == "add" else []))
    assert file.read_text() == before


def test_there_are_not_more_targets_than_one_process_serves(file: Path) -> None:
    for number in range(targets.MOST):
        run("add", f"target-{number}", "--url", URL, "--from-beginning")
    with pytest.raises(PermanentFailure, match="the most"):
        run("add", "one-more", "--url", URL, "--from-beginning")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"targets": {"a": {"secrets": ["whsec_secret"], "topics": [], "start": {}}}}']
)
def test_a_damaged_file_is_named_and_not_quoted(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(PermanentFailure, match="is no file of targets") as found:
        targets.read(file)
    assert "whsec" not in str(found.value)


def test_a_topic_that_was_made_again_is_read_from_its_beginning() -> None:
    place = Place("alerts", "alerts", 0, "id-1")
    assert begins(place, {"alerts/0": ("id-1", 7)}) == 7
    assert begins(place, {"alerts/0": ("id-0", 7)}) == 0
    assert begins(place, {"alerts/1": ("id-1", 7)}) == 0


def test_a_mail_target_needs_a_server_only(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_SMTP_HOST", "mail.example.org")
    settings.cache_clear()
    assert run("add", "people", "--mail", "people@example.org", "--from-beginning") == ""
    assert targets.read(file)["people"].where == "people@example.org"
    assert load().smtp_security == "starttls"
    assert "people" in json.loads(file.read_text())["targets"]
