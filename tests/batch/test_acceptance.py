"""Losses are accepted by somebody and for a reason: both are asked for, and reach the process that writes them down."""

import subprocess
from types import SimpleNamespace

import pytest
import typer

from batch.commands import acceptance
from batch.commands.acceptance import accepted
from infra.failures import PermanentFailure


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that were run; each fails with 65."""
    found: list[list[str]] = []

    def run(command: list[str], **options: object) -> SimpleNamespace:
        found.append(command[1:])
        return SimpleNamespace(returncode=65)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(acceptance.getpass, "getuser", lambda: "ada")  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize(("by", "who"), [("", "ada"), ("  ", "ada"), ("bob", "bob")])
def test_who_accepts_is_told_and_by_default_the_user(ran: list[list[str]], by: str, who: str) -> None:
    with pytest.raises(typer.Exit) as ended:
        accepted("gaps", "accept-gaps", True, "--the disk was full", by)
    assert ended.value.exit_code == 65
    assert ran == [["-m", "batch", "accept-gaps", "--note=--the disk was full", f"--by={who}"]]


@pytest.mark.parametrize(
    ("accept", "note", "by", "said"),
    [
        (True, " ", "ada", "give a reason: daybreak gaps --accept"),
        (False, "why", "", "are for --accept"),
        (False, "", "ada", "are for --accept"),
    ],
)
def test_a_reason_is_asked_for(ran: list[list[str]], accept: bool, note: str, by: str, said: str) -> None:
    with pytest.raises(PermanentFailure, match=said):
        accepted("gaps", "accept-gaps", accept, note, by)
    assert ran == []


def test_without_a_word_nothing_is_accepted(ran: list[list[str]]) -> None:
    accepted("gaps", "accept-gaps", False, "", "")
    assert ran == []
