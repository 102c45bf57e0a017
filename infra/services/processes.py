"""The platform's processes on this machine: their memory, and those left over without a supervisor.

Data flow: /proc -> megabytes; processes without a supervisor -> none
Run: daybreak down
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from infra.services.supervisor import MARK

GRACE_SECONDS = 10
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Memory:
    """Resident memory of a process tree in MB: now, and the sum of each process's peak."""

    now: int
    peak: int | None


def tree(pid: int) -> list[psutil.Process]:
    """A process and all its descendants; empty if it is gone."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def memory(pid: int) -> Memory:
    """Memory of a process tree."""
    now, peaks = 0, []
    for process in tree(pid):
        try:
            now += process.memory_info().rss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        peaks.append(_peak(process.pid))
    known = [peak for peak in peaks if peak is not None]
    return Memory(now // MEGABYTE, sum(known) // 1024 if known else None)


def _peak(pid: int) -> int | None:
    """The highest resident memory in kB, where the kernel tells."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), None)


def left_over(home: Path) -> list[psutil.Process]:
    """Every running process that a supervisor of this home has started.

    MARK in its environment identifies such a process. A program may overwrite its environment (Airflow does, for its
    title), so processes in the session of a marked one count as well, and so do all descendants.
    """
    marked = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == str(home):
                marked.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess, OSError):
            continue
    me = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    sessions = {session for p in marked if (session := _session(p.pid)) is not None} - {os.getsid(0)}
    found = {p.pid: p for p in psutil.process_iter() if _session(p.pid) in sessions}
    for process in [*marked, *found.values()]:
        found |= {p.pid: p for p in tree(process.pid)}
    return [p for p in found.values() if p.pid not in me]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def sweep(home: Path) -> list[str]:
    """End left-over processes, with SIGTERM first; returns the names of those without a left-over parent."""
    processes = left_over(home)
    pids = {process.pid for process in processes}
    names = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            if process.ppid() not in pids:
                names.append(f"{process.name()} ({process.pid})")
            process.terminate()
    _, stubborn = psutil.wait_procs(processes, timeout=GRACE_SECONDS)
    for process in stubborn:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(stubborn, timeout=GRACE_SECONDS)
    return names
