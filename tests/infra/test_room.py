"""A full disk is named with what lies on it, and whoever fails for want of room says so in a sentence."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from batch.status.look import look
from infra import room
from infra.failures import TransientFailure, reported
from infra.settings import Settings, settings

MB = 1 << 20


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A home in which each of three folders has a disk of its own."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    settings.cache_clear()
    for name in ("kafka", "store", "checkpoints"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(room, "_device", lambda folder: hash(folder.name))
    return settings()


def free(monkeypatch: pytest.MonkeyPatch, **megabytes: int) -> None:
    """These folders' disks of 1,000 MB have so much free, the others enough."""

    def found(folder: Path) -> object:
        return SimpleNamespace(f_bavail=megabytes.get(folder.name, 500), f_blocks=1_000, f_frsize=MB)

    monkeypatch.setattr(os, "statvfs", found)


def test_each_full_disk_is_a_problem_of_its_own(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, kafka=49, store=51, checkpoints=0)
    found = look(own, {"disks": room.problems})
    assert [one.id for one in found] == [f"disk.full/{own.home / name}" for name in ("checkpoints", "kafka")]
    assert found[1].what.startswith(f"the disk of Kafka's log is full: {own.home / 'kafka'} (mounted at /")
    assert "has 49 MB free of 1,000" in found[1].what
    free(monkeypatch)
    assert look(own, {"disks": room.problems}) == []


def test_a_large_disk_is_full_later_than_a_small_one(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def disk(free: int, size: int) -> bool:
        return room.Disk("", own.home, "", free * MB, size * MB).is_full

    assert (disk(19, 400), disk(20, 400), disk(63, 10_000_000), disk(64, 10_000_000)) == (True, False, True, False)


def test_a_service_elsewhere_has_its_own_disks(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_KAFKA_BOOTSTRAP", "elsewhere:9092")
    monkeypatch.setenv("DAYBREAK_CHECKPOINTS", "s3a://lake/checkpoints")
    settings.cache_clear()
    free(monkeypatch, kafka=0, store=0, checkpoints=0)
    assert [one.what for one in room.full(settings())] == [room.LAKE]


@pytest.mark.parametrize(
    "failure", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), TransientFailure("507 Insufficient Storage")]
)
def test_who_fails_for_want_of_room_names_the_disk(
    own: Settings, failure: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    free(monkeypatch, store=0)
    with pytest.raises(SystemExit, match="1"), reported():
        raise failure
    said = capsys.readouterr().err
    assert f"{failure}. There is no room: the disk of the lake is full: {own.home / 'store'} " in said
    assert said.count("There is no room") == 1
    assert "Traceback" not in said


def test_what_cannot_be_written_down_is_told_all_the_same(own: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    free(monkeypatch, kafka=0)
    monkeypatch.setattr("infra.problems.keep", full)
    (one,) = look(own, {"disks": room.problems})
    assert (one.id, one.since is None) == (f"disk.full/{own.home / 'kafka'}", False)
