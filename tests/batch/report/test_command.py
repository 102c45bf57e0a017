"""The command: a file where it was asked for, whole or not at all, and sentences for what cannot be."""

from pathlib import Path

import pytest
from sample import sample
from typer.testing import CliRunner

from batch.commands import assembled
from batch.report import publish
from infra.failures import PermanentFailure


def test_a_report_goes_to_the_file_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "sources", lambda *_: sample())
    to = tmp_path / "new" / "report.html"
    ended = CliRunner().invoke(assembled(), ["report", "--date", "2026-01-31", "--out", str(to)])
    assert ended.exit_code == 0, ended.exception
    assert ended.stdout.strip() == str(to)
    assert "The night of <time" in to.read_text()
    assert [file.name for file in to.parent.iterdir()] == ["report.html"]


def test_a_day_that_is_none_is_a_sentence() -> None:
    ended = CliRunner().invoke(assembled(), ["report", "--date", "yesterday"])
    assert isinstance(ended.exception, PermanentFailure)
    assert str(ended.exception) == "'yesterday' is not a day: write it as YYYY-MM-DD"


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "sources", lambda *_: sample())
    (tmp_path / "file").touch()
    ended = CliRunner().invoke(
        assembled(), ["report", "--date", "2026-01-31", "--out", str(tmp_path / "file" / "report.html")]
    )
    assert isinstance(ended.exception, PermanentFailure)
    assert "cannot be written" in str(ended.exception)
