"""Start programs in the order of their dependencies, and stop them in reverse.

Data flow: Programs -> supervisor -> every one healthy, or a sentence that says what is awaited
Run: daybreak up
"""

import time
from collections.abc import Callable, Mapping

import psutil

from infra.failures import PermanentFailure, TransientFailure
from infra.services import ports, processes
from infra.services.configuration import log_file
from infra.services.program import Name, Program
from infra.services.supervisor import Process, State, Supervisor
from infra.settings import Settings

Tell = Callable[[str], None]
ASK_EVERY_SECONDS = 0.5
LAST_LINES = 15


def up(s: Settings, programs: Mapping[Name, Program], supervisor: Supervisor, tell: Tell, waiting: Tell) -> None:
    """Start what does not run and wait until all are healthy; `tell` gets what happened, `waiting` what it waits for.

    Raises PermanentFailure if a port is taken or a program has ended for good, TransientFailure on a timeout.
    """
    started: dict[Name, float] = {}
    healthy: set[Name] = set()
    while len(healthy) < len(programs):
        known = supervisor.processes()
        awaited = []
        for name, program in programs.items():
            if name in healthy:
                continue
            if name not in started:
                if any(need in programs and need not in healthy for need in program.needs):
                    continue
                _begin(program, known[name], supervisor, waiting)
                started[name] = time.monotonic()
                continue
            wants = _wants(s, program, known[name])
            seconds = time.monotonic() - started[name]
            if wants is None:
                program.complete()
                healthy.add(name)
                tell(f"{name} is up ({seconds:.0f} s)")
            elif seconds > program.start_seconds:
                raise TransientFailure(
                    f"{name} is not up after {program.start_seconds} s, it waits for: {wants}; see `daybreak logs {name}`"
                )
            else:
                awaited.append(f"{name}: {wants}")
        waiting("; ".join(awaited))
        time.sleep(ASK_EVERY_SECONDS)


def _begin(program: Program, process: Process, supervisor: Supervisor, waiting: Tell) -> None:
    if process.state.is_up:
        return
    waiting(f"{program.name}: to be prepared")
    ports.check(program)
    program.prepare()
    supervisor.begin(program.name)


def _wants(s: Settings, program: Program, process: Process) -> str | None:
    """None if the program works, else what it waits for. Raises PermanentFailure if supervisor gave it up."""
    if process.is_over(program):
        lines = log_file(s, program.name).read_text(errors="replace").splitlines()[-LAST_LINES:]
        raise PermanentFailure(f"{program.name} ended by itself ({process.says}); its last lines:\n" + "\n".join(lines))
    if process.state in (State.BACKOFF, State.EXITED):
        return f"to be started again ({process.says})"
    return program.waits_for(process.pid) if process.pid else "its process to start"


def down(s: Settings, programs: Mapping[Name, Program], supervisor: Supervisor, tell: Tell, waiting: Tell) -> None:
    """Stop every program once none that needs it runs, end the supervisor, and leave no process behind."""
    if supervisor.is_running():
        stop(programs, supervisor, tell, waiting)
        supervisor.shutdown()
        psutil.wait_procs(processes.left_over(s.home), timeout=processes.GRACE_SECONDS)
    for name in processes.sweep(s.home):
        tell(f"{name} was left over and is stopped")


def stop(programs: Mapping[Name, Program], supervisor: Supervisor, tell: Tell, waiting: Tell) -> None:
    """Stop these programs; returns when all are stopped (supervisor kills what exceeds its time)."""
    said: set[Name] = set()
    while True:
        known = supervisor.processes()
        there = {name for name in programs if name in known and (known[name].state.is_up or known[name].pid)}
        for name in programs:
            if name in known and name not in there and name in said:
                said.discard(name)
                tell(f"{name} is down")
        if not there:
            return
        for name in there - said:
            if not any(name in programs[other].needs for other in there):
                supervisor.stop(name)
                said.add(name)
        waiting(", ".join(sorted(said & there)) + " to stop")
        time.sleep(ASK_EVERY_SECONDS)
