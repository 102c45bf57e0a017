"""The current status of each program.

Data flow: supervisor, /proc, the services' own answers -> one Status per program
Run: daybreak status
"""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum

from infra import out_of_memory
from infra.services import processes
from infra.services.program import Name, Program
from infra.services.restarts import Ends
from infra.services.supervisor import Process, State, Supervisor


class Condition(StrEnum):
    """The state of a program."""

    HEALTHY = "healthy"
    WAITING = "waiting"
    RESTARTING = "restarting"
    FAILING = "failing"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class Status:
    """One program: memory in MB of its process tree, `waits_for` in words when it is not healthy.

    A failing program ends again after each restart; then `waits_for` says at what, and why. `notices` are sentences about
    what it does not stop for, e.g. bad input; they change no condition.
    """

    name: str
    condition: Condition
    pid: int | None
    ports: dict[str, int]
    memory_mb: int | None
    peak_mb: int | None
    up_seconds: int | None
    waits_for: str | None
    notices: tuple[str, ...] = ()


def status(programs: Mapping[Name, Program], supervisor: Supervisor) -> list[Status]:
    """Every program's status; the services are asked side by side."""
    known = supervisor.processes() if supervisor.is_running() else {}
    ended = supervisor.ends() if known else {}
    over = {
        name: supervisor.last_words(name)
        for name, one in programs.items()
        if name in known and known[name].is_over(one)
    }
    with ThreadPoolExecutor() as pool:
        own = lambda program: _one(  # noqa: E731
            program, known.get(program.name), ended.get(program.name), over.get(program.name)
        )
        return list(pool.map(own, programs.values()))


def _loops(program: Program, ended: Ends, up_seconds: int | None) -> str | None:
    """Why a program ends again and again, if it does."""
    loops = ended.loops(up_seconds)
    if loops and program.heap and ended.how.endswith(f" {out_of_memory.EXIT}"):
        loops += f". {out_of_memory.sentence('Its JVM', *program.heap)}"
    return loops


def _one(program: Program, process: Process | None, ended: Ends | None = None, words: str | None = None) -> Status:
    up_seconds = int(time.time()) - process.since if process and process.pid else None
    fails = None
    if process and process.state not in (State.STOPPED, State.STOPPING) and not process.is_over(program):
        fails = program.fails() or (_loops(program, ended, up_seconds) if ended else None)
    if process is None or not process.pid:
        condition, waits_for = Condition.STOPPED, None
        if process and process.is_over(program):
            said = f": {words}" if words else ""
            condition, waits_for = Condition.FAILED, f"a restart by hand: it ended by itself ({process.says}){said}"
        elif process and process.state is not State.STOPPED:
            condition, waits_for = (Condition.FAILING, fails) if fails else (Condition.RESTARTING, process.says)
        return Status(program.name, condition, None, dict(program.ports), None, None, None, waits_for)
    waits_for = fails or ("its end" if process.state is State.STOPPING else program.waits_for(process.pid))
    memory = processes.memory(process.pid)
    return Status(
        name=program.name,
        condition=Condition.FAILING if fails else Condition.WAITING if waits_for else Condition.HEALTHY,
        pid=process.pid,
        ports=dict(program.ports),
        memory_mb=memory.now,
        peak_mb=memory.peak,
        up_seconds=up_seconds,
        waits_for=waits_for,
        notices=program.notices(process.pid),
    )
