"""Our Java classes: all of them are in the jar, and the jar is of the sources as they are."""

import zipfile
from pathlib import Path

import pytest

from infra.setup import compiled
from infra.setup.step import SetupFailure


def test_the_jar_has_a_class_of_every_source() -> None:
    assert compiled.STEP.is_done(), "run: python3 -m infra.setup compiled"
    wanted = {f"{path.as_posix().rpartition('/java/')[2].removesuffix('.java')}.class" for path in compiled.sources()}
    assert wanted <= set(zipfile.ZipFile(compiled.JAR).namelist())
    assert len(wanted) > 5


def test_a_compiler_that_fails_is_told_with_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "JARS", tmp_path)
    with pytest.raises(SetupFailure, match="do not compile"):
        compiled.compile_into(tmp_path / "own.jar", tmp_path / "no-compiler.jar")
    assert not (tmp_path / "own.jar").exists()
