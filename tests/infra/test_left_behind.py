"""What killed programs leave is removed, what others still write is not, and a gateway begins with no rows of another's."""

import os
import subprocess
import sys
import time
from pathlib import Path

from infra.left_behind import DAYS, emptied, of_this_process, remove_old
from infra.services import gateway
from infra.settings import Settings

OLD = time.time() - (DAYS + 1) * 86_400


def made(file: Path, at: float) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"x")
    for path in (file, file.parent):
        os.utime(path, (at, at))
    return file


def test_what_nobody_wrote_to_for_a_week_is_removed(s: Settings) -> None:
    old = [made(s.home / "tmp" / name, OLD) for name in ("blockmgr-1/00/shuffle", "lib-1.so", "spark-2/x")]
    old.append(made(s.home / "lab" / "acks-1" / "1" / "log", OLD))
    os.utime(s.home / "lab" / "acks-1", (OLD, OLD))
    os.utime(s.home / "tmp" / "blockmgr-1", (OLD, OLD))
    kept = [made(s.home / "tmp" / name, time.time()) for name in ("blockmgr-3/00/shuffle", "lib-4.so")]
    # A folder that is old itself, and written to below.
    os.utime(s.home / "tmp" / "blockmgr-3", (OLD, OLD))
    own = [made(s.home / "tmp" / program / "spark-5", OLD) for program in ("stream", "gateway")]
    results = made(s.home / "lab" / "acks.json", OLD)
    assert remove_old(s) == 4
    assert not [file for file in old if file.exists()]
    assert all(file.exists() for file in (*kept, *own, results))
    assert remove_old(s) == 0


def test_a_link_is_removed_and_not_what_it_names(s: Settings, tmp_path: Path) -> None:
    other = made(tmp_path / "other" / "file", OLD)
    (s.home / "tmp").mkdir(exist_ok=True)
    link = s.home / "tmp" / "link"
    link.symlink_to(other.parent)
    os.utime(link, (OLD, OLD), follow_symlinks=False)
    assert remove_old(s) == 1
    assert other.exists()
    assert not link.is_symlink()


HOLDS = """
import os, sys
from pathlib import Path
from infra.left_behind import of_this_process
folder = of_this_process(Path(sys.argv[1]), os.getpid())
(folder / "blockmgr-1").mkdir()
print(folder, flush=True)
sys.stdin.read()
"""


def holding(home: Path) -> tuple["subprocess.Popen[str]", Path]:
    program = subprocess.Popen(
        [sys.executable, "-B", "-c", HOLDS, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout
    return program, Path(program.stdout.readline().strip())


def test_what_a_killed_process_left_goes_when_the_next_begins(s: Settings) -> None:
    (s.home / "tmp").mkdir(exist_ok=True)
    (lives, kept), (killed, left) = holding(s.home), holding(s.home)
    try:
        killed.kill()
        killed.communicate()
        own = of_this_process(s.home, os.getpid())
        assert own == of_this_process(s.home, os.getpid())
        assert sorted((s.home / "tmp").iterdir()) == sorted((own, kept))
        assert not left.exists()
        assert (kept / "blockmgr-1").is_dir()
    finally:
        lives.communicate()


def test_a_gateway_begins_with_empty_folders_of_its_own(s: Settings) -> None:
    """The guard would count rows that a killed one spilled as those of the statements that run now."""
    told = f"{gateway.configuration(s)} {gateway.jvm(s)}"
    left = [made(folder / "blockmgr-1" / "rows", time.time()) for folder in gateway.folders(s)]
    assert all(str(folder) in told for folder in gateway.folders(s))
    for folder in gateway.folders(s):
        emptied(folder)
    assert [file for file in left if file.exists()] == []
    assert all(folder.is_dir() for folder in gateway.folders(s))
