"""Supervisor: the process that starts the programs, restarts what dies, and stops them.

Data flow: commands -> XML-RPC on loopback -> supervisord -> programs
Run: daybreak up
"""

import http.client
import os
import subprocess
import sys
import time
import urllib.parse
import xmlrpc.client
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from infra import logs
from infra.failures import TransientFailure
from infra.services import configuration
from infra.services.program import Name, Program, shared_env
from infra.services.restarts import Ends, ends
from infra.settings import Settings

MARK = "DAYBREAK_SUPERVISED"
"""Environment variable of everything that supervisor runs; it identifies processes whose supervisor is gone."""
START_SECONDS = 20
TAIL = 4_000
"""Bytes at the end of a log, and how a sentence about a failure begins in it."""


class State(StrEnum):
    """Supervisor's own states of a process."""

    STOPPED = "STOPPED"
    STARTING = "STARTING"
    RUNNING = "RUNNING"
    BACKOFF = "BACKOFF"
    STOPPING = "STOPPING"
    EXITED = "EXITED"
    FATAL = "FATAL"
    UNKNOWN = "UNKNOWN"

    @property
    def is_up(self) -> bool:
        """Has it a process, or will it have one shortly?"""
        return self in (State.STARTING, State.RUNNING, State.BACKOFF)


@dataclass(frozen=True)
class Process:
    """What supervisor knows of a program; `pid` 0 and `since` 0 when it does not run; `since` in epoch seconds."""

    state: State
    pid: int
    since: int
    exit_status: int
    says: str

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> "Process":
        """From supervisor's `getProcessInfo`."""
        return cls(State(info["statename"]), info["pid"], info["start"], info["exitstatus"], info["description"])

    def is_over(self, program: Program) -> bool:
        """Has supervisor stopped restarting it? (It passes through EXITED before each restart as well.)"""
        ended_for_good = self.state is State.EXITED and self.exit_status == program.final_exit
        return ended_for_good or self.state in (State.FATAL, State.UNKNOWN)


class Supervisor:
    """The supervisor of one home."""

    def __init__(self, s: Settings) -> None:
        self._settings = s
        password = urllib.parse.quote(s.supervisor_password.get_secret_value(), safe="")
        self._server = xmlrpc.client.ServerProxy(
            f"http://{configuration.USER}:{password}@127.0.0.1:{s.supervisor_port}/RPC2"
        )

    def _call(self, method: str, *arguments: Any) -> Any:
        return getattr(self._server.supervisor, method)(*arguments)

    def is_running(self) -> bool:
        """Does it answer, and is it the one of this home?"""
        try:
            return bool(self._call("getState")["statecode"] == 1)
        except (OSError, xmlrpc.client.Error, http.client.HTTPException):
            return False

    def start(self, programs: Iterable[Program]) -> None:
        """Start the daemon with these programs known and none started. Raises TransientFailure if it does not answer."""
        s = self._settings
        file = configuration.write(s, programs)
        env = os.environ | shared_env(s) | {MARK: str(s.home)}
        command = [sys.executable, "-m", "supervisor.supervisord", "-c", str(file)]
        said = subprocess.run(command, env=env, capture_output=True, text=True)
        give_up = time.monotonic() + START_SECONDS
        while not self.is_running():
            if said.returncode or time.monotonic() > give_up:
                raise TransientFailure(
                    f"supervisor does not start: {(said.stderr or said.stdout).strip() or 'see logs/supervisord.log'}"
                )
            time.sleep(0.1)

    def reload(self, programs: Iterable[Program]) -> list[str]:
        """Load the current definitions of programs; those that changed are stopped, and their names returned."""
        configuration.write(self._settings, programs)
        added, changed, removed = self._call("reloadConfig")[0]
        for name in [*changed, *removed]:
            self.stop(name, wait=True)
            self._call("removeProcessGroup", name)
        for name in [*added, *changed]:
            self._call("addProcessGroup", name)
        return list(changed)

    def processes(self) -> dict[Name, Process]:
        """Every program it knows, but for those that only another version of this code has: `up` and `down` end them."""
        known = self._call("getAllProcessInfo")
        return {Name(info["name"]): Process.of(info) for info in known if info["name"] in list(Name)}

    def ends(self) -> dict[str, Ends]:
        """The programs that ended by themselves lately."""
        return ends(self._settings)

    def last_words(self, name: str) -> str | None:
        """The last sentence with which a program of ours ended, from its log; None if there is none."""
        file = configuration.log_file(self._settings, name)
        lines = file.read_bytes()[-TAIL:].decode(errors="replace").splitlines() if file.exists() else []
        said = [words for line in lines if (words := logs.said_by_us(line))]
        return said[-1] if said else None

    def begin(self, name: str) -> None:
        """Start a program, without waiting; one that is up already is left alone."""
        try:
            self._call("startProcess", str(name), False)
        except xmlrpc.client.Fault as fault:
            if "ALREADY_STARTED" not in fault.faultString:
                raise TransientFailure(f"supervisor cannot start {name}: {fault.faultString}") from fault

    def stop(self, name: str, wait: bool = False) -> None:
        """Stop a program; one that does not run is left alone."""
        try:
            self._call("stopProcess", str(name), wait)
        except xmlrpc.client.Fault as fault:
            if "NOT_RUNNING" not in fault.faultString:
                raise TransientFailure(f"supervisor cannot stop {name}: {fault.faultString}") from fault

    def shutdown(self) -> None:
        """End the daemon and whatever it still runs."""
        self._call("shutdown")
