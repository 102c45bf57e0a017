"""`daybreak metrics` prints, or writes a file that node_exporter's group may read and that is whole at any moment."""

import os
from pathlib import Path

import pytest
from metrics_sample import values
from typer.testing import CliRunner

from batch.commands import metrics as command
from infra.failures import PermanentFailure
from infra.metrics import textfile
from infra.settings import load


@pytest.fixture(autouse=True)
def down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of which nothing runs."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    load_anew = lambda: load()  # noqa: E731
    load_anew.cache_clear = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setattr(command, "settings", load_anew)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As the owner makes it for node_exporter's group: the setgid bit hands the group down."""
    found = tmp_path / "textfile"
    found.mkdir()
    if os.geteuid() == 0:
        os.chown(found, -1, 4321)
    found.chmod(0o2750)
    return found


def asked(*arguments: str) -> str:
    done = CliRunner().invoke(command.commands, [*arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_it_prints_what_is_known_of_a_platform_that_is_down() -> None:
    found = asked()
    assert values(found, "daybreak_program_condition")["stopped", "stream"] == 1
    assert values(found, "daybreak_problems_known") == {(): 0}


def test_the_file_is_for_the_folders_group_and_nobody_else(folder: Path) -> None:
    before = os.umask(0o077)
    try:
        assert asked("--to", str(folder)).strip() == str(folder / "daybreak.prom")
    finally:
        os.umask(before)
    found = (folder / "daybreak.prom").stat()
    assert oct(found.st_mode & 0o777) == oct(0o640)
    assert found.st_gid == folder.stat().st_gid
    assert values((folder / "daybreak.prom").read_text(), "daybreak_problems_known") == {(): 0}


def test_the_file_is_replaced_whole_and_nothing_is_left_beside_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    textfile.written(folder, "old 1\n")
    with (folder / "daybreak.prom").open() as reader:
        textfile.written(folder, "new 2\n")
        assert reader.read() == "old 1\n"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fchmod", full)
    with pytest.raises(OSError, match="No space"):
        textfile.written(folder, "newer 3\n")
    assert (folder / "daybreak.prom").read_text() == "new 2\n"
    assert [one.name for one in folder.iterdir()] == ["daybreak.prom"]


def test_a_missing_folder_is_not_made_and_its_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(PermanentFailure, match="install -d -m 2750"):
        asked("--to", str(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_every_needs_a_folder() -> None:
    with pytest.raises(PermanentFailure, match="--every needs --to"):
        asked("--every", "30")


def test_it_writes_again_until_it_is_stopped_also_after_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception):
        """What ends the wait."""

    waits: list[float] = []
    texts: list[str] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise Stopped

    def write(to: Path, text: str) -> Path:
        texts.append(text)
        if len(texts) == 2:
            raise OSError(28, "No space left on device")
        return textfile.written(to, text)

    monkeypatch.setattr(command.time, "sleep", sleep)
    monkeypatch.setattr(command, "written", write)
    with pytest.raises(Stopped):
        asked("--to", str(folder), "--every", "30")
    assert waits == [30, 30, 30]
    assert len(texts) == 3
    assert (folder / "daybreak.prom").read_text() == texts[2]
