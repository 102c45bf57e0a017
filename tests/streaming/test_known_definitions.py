"""Versions come from the file only where nothing can have changed since they were found."""

import json
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pyspark
import pytest
from pyspark.sql import SparkSession

from infra.project import Place
from infra.settings import settings
from streaming.versions import definition_cache as module

LONG_AGO = 1_000_000_000


class Asked:
    """Stands for `definitions`, which needs Spark, and counts."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, session: SparkSession) -> dict[str, str]:
        self.times += 1
        return {"orders": f"{self.times}"}


class Session:
    version = "4"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one view, written long ago, and a home."""
    for name in module.FOLDERS:
        (tmp_path / name).mkdir()
    _write(tmp_path / "streaming" / "totals.py", "one", LONG_AGO)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "mine").mkdir()
    own_project = Place("mine", tmp_path / "mine", tmp_path)
    monkeypatch.setattr(module.project, "folder", lambda: own_project)
    own = settings().model_copy(update={"home": tmp_path})
    monkeypatch.setattr(module, "settings", lambda: own)
    # This project's own modules, which may have been edited just now, would count as loaded from elsewhere.
    monkeypatch.setattr(module, "sys", SimpleNamespace(**vars(sys) | {"modules": {}}))
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    own = Asked()
    monkeypatch.setattr(module, "definitions", own)
    return own


def _write(file: Path, text: str, at: float) -> None:
    file.write_text(text)
    os.utime(file, (at, at))


def _known(version: str = "4") -> dict[str, str]:
    session: Any = Session()
    session.version = version
    return dict(module.known_definitions(cast(SparkSession, session)))


def test_the_same_code_is_planned_once(root: Path, asked: Asked) -> None:
    assert _known() == _known() == {"orders": "1"}
    assert asked.times == 1


def test_what_is_known_of_this_code_is_remembered_without_spark(root: Path, asked: Asked) -> None:
    assert module.remembered() is None
    _known(version=pyspark.__version__)
    assert (module.remembered(), asked.times) == ({"orders": "1"}, 1)
    _write(root / "streaming" / "totals.py", "two", LONG_AGO)
    assert module.remembered() is None
    _write(root / "streaming" / "totals.py", "one", time.time())
    assert module.remembered() is None, "the process may have loaded something else"


def test_a_changed_file_is_planned_anew(root: Path, asked: Asked) -> None:
    assert _known() == _known()
    _write(root / "streaming" / "totals.py", "two", LONG_AGO)
    assert _known() == {"orders": "2"}


@pytest.mark.parametrize("file", ["readings.py", "schemas/readings.v1.avsc"])
def test_a_changed_file_of_the_project_is_planned_anew(root: Path, asked: Asked, file: str) -> None:
    own = root / "mine" / file
    own.parent.mkdir(exist_ok=True)
    _write(own, "one", LONG_AGO)
    assert _known() == _known()
    _write(own, "two", LONG_AGO)
    assert _known() == {"orders": "2"}


def test_two_states_of_the_code_in_turn_are_planned_once_each(root: Path, asked: Asked) -> None:
    for text in ("one", "two", "one", "two"):
        _write(root / "streaming" / "totals.py", text, LONG_AGO)
        _known()
    assert asked.times == 2


def test_only_the_newest_states_are_kept(root: Path, asked: Asked) -> None:
    for number in range(module.KEPT + 2):
        _write(root / "streaming" / "totals.py", f"{number}", LONG_AGO)
        _known()
    assert len(json.loads((root / "definitions.json").read_text())) == module.KEPT


def test_two_programs_of_one_code_share_what_is_known(
    root: Path, asked: Asked, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A night and a stream are different programs; started from elsewhere, too."""
    for name in ("night.py", "stream.py"):
        file = tmp_path_factory.mktemp("elsewhere") / name
        _write(file, name, LONG_AGO)
        cast(Any, module).sys.modules["__main__"] = SimpleNamespace(__file__=str(file))
        _known()
    assert asked.times == 1


def test_a_new_and_a_renamed_file_are_planned_anew(root: Path, asked: Asked) -> None:
    _known()
    _write(root / "infra" / "schema.avsc", "{}", LONG_AGO)
    assert _known() == {"orders": "2"}
    (root / "infra" / "schema.avsc").rename(root / "infra" / "other.avsc")
    assert _known() == {"orders": "3"}


def test_another_spark_and_another_setting_are_planned_anew(
    root: Path, asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    _known()
    assert _known(version="5") == {"orders": "2"}
    own = settings().model_copy(update={"home": root, "watermark_delay_seconds": 1})
    monkeypatch.setattr(module, "settings", lambda: own)
    assert _known(version="5") == {"orders": "3"}


def test_a_library_of_ones_own_counts_by_its_content(
    root: Path, asked: Asked, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("own")
    _write(folder / "library_of_ones_own.py", "SIZE = 1", LONG_AGO)
    monkeypatch.syspath_prepend(folder)
    cast(Any, module).sys.modules["own"] = __import__("library_of_ones_own")
    assert _known() == _known()
    _write(folder / "library_of_ones_own.py", "SIZE = 2", LONG_AGO)
    assert _known() == {"orders": "2"}


def test_code_that_changed_since_the_process_began_is_never_kept(root: Path, asked: Asked) -> None:
    _write(root / "streaming" / "totals.py", "edited", time.time())
    assert [_known(), _known()] == [{"orders": "1"}, {"orders": "2"}]
    _write(root / "streaming" / "totals.py", "edited", psutil.Process().create_time() - module.CLOCK_SECONDS - 1)
    assert _known() == {"orders": "3"}, "nothing was kept of what the process may not have loaded"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"of": 1}', "null", "[1]"])
def test_a_file_that_cannot_be_read_is_written_anew(root: Path, asked: Asked, text: str) -> None:
    _known()
    (root / "definitions.json").write_text(text)
    assert _known() == _known() == {"orders": "2"}
