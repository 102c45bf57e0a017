"""The archive of Spark's classes is used where set-up has written one, and nothing needs it."""

import subprocess
from pathlib import Path

import psutil
import pytest
from pyspark.sql import SparkSession

from infra.class_archive import spark_classpath, spark_jvm
from infra.settings import ROOT, settings
from infra.setup import classes

SHARED = "-XX:SharedArchiveFile="


@pytest.fixture
def pid(spark: SparkSession) -> int:
    """The JVM of a session."""
    if not classes.ARCHIVE.exists():
        pytest.skip("set-up could write none here")
    return int(spark._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]


def test_a_sessions_jvm_has_mapped_it(pid: int) -> None:
    assert str(classes.ARCHIVE.resolve()) in Path(f"/proc/{pid}/maps").read_text()


def test_its_pages_are_those_of_the_file_and_no_copies(pid: int) -> None:
    maps = [one for one in psutil.Process(pid).memory_maps() if one.path == str(classes.ARCHIVE.resolve())]
    # Not by what is dirty: a file that was just made is not on the disk yet.
    read, copied = maps[0].rss, maps[0].anonymous
    assert read
    assert 2 * copied < read


def test_without_one_the_jvm_gets_no_option(tmp_path: Path) -> None:
    bare = settings().model_copy(update={"home": tmp_path})
    assert spark_jvm(bare, "-Xss4m") == bare.jvm("-Xss4m")
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / classes.ARCHIVE.name).touch()
    found = spark_jvm(bare)
    assert f"{SHARED}{tmp_path}/jars/{classes.ARCHIVE.name}" in found
    assert found[: len(bare.jvm())] == bare.jvm()


def test_the_class_path_is_of_real_folders_in_every_home(tmp_path: Path) -> None:
    (tmp_path / "jars").symlink_to(ROOT / ".daybreak" / "jars")
    other = settings().model_copy(update={"home": tmp_path})
    assert spark_classpath(other) == classes.classpath(classes.JARS / "spark", classes.pyspark_jars())
    assert str(tmp_path) not in spark_classpath(other)


def test_a_program_that_fails_is_told_and_set_up_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('no memory')")
    monkeypatch.setattr(classes, "JARS", tmp_path)
    monkeypatch.setattr(classes, "ARCHIVE", tmp_path / "spark.jsa")
    monkeypatch.setattr(classes, "WARM_UP", broken)
    (tmp_path / "spark.jsa").write_text("of other jars")
    classes.STEP.install()
    assert classes.STEP.complete()
    assert "Spark starts slower; the last word was: ['no memory']" in capsys.readouterr().out
    assert sorted(file.name for file in tmp_path.iterdir()) == ["broken.py"]


def test_no_file_of_the_set_up_hides_one_of_pythons() -> None:
    done = subprocess.run([*classes.RUN, classes.WARM_UP], capture_output=True, text=True)
    # Its imports are done, and it lacks its arguments.
    assert done.stderr.splitlines()[-1].startswith("TypeError"), done.stderr
