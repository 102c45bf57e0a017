"""The archive of the queue broker: only the listed one, and only its jars."""

import shutil
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from infra.setup import jars, pins, queue
from infra.setup.step import SetupFailure


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    file = tmp_path / "broker.tar.gz"
    with tarfile.open(file, "w:gz") as packed:
        for name in ("a-1/lib/one.jar", "a-1/lib/../../../lib/two.jar", "a-1/web/console.war", "a-1/lib/native.so"):
            member = tarfile.TarInfo(name)
            member.size = 3
            packed.addfile(member, BytesIO(b"jar"))
    return file


def test_only_jars_are_unpacked_and_none_outside(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "jars" / "queue"
    queue.unpack(archive, folder)
    assert sorted(path.relative_to(tmp_path / "jars").as_posix() for path in (tmp_path / "jars").rglob("*.*")) == [
        "queue/one.jar",
        "queue/two.jar",
    ]


def test_another_archive_is_refused_and_the_old_jars_stay(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "queue"
    folder.mkdir()
    (folder / "old.jar").touch()
    (listed,) = pins.pinned(queue.NAME)

    def came(configuration: str, place: Path, *_: object) -> bool:
        shutil.copyfile(archive, place / listed)
        return True

    monkeypatch.setattr(jars, "JARS", tmp_path)
    monkeypatch.setattr(jars, "retrieve", came)
    monkeypatch.setattr(queue, "FOLDER", folder)
    with pytest.raises(SetupFailure, match="it was changed on its way"):
        queue.STEP.install()
    assert [path.name for path in folder.iterdir()] == ["old.jar"]
