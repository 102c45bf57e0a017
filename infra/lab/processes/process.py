"""The processes of a run, as the one that started them sees them.

Data flow: a job -> a process, e.g. of infra/lab/processes/worker.py; what it says and how it ends -> waits that end
Run: daybreak lab direct
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from types import TracebackType
from typing import Protocol

from infra.failures import TransientFailure
from infra.settings import ROOT

SECONDS = 90
"""Longest wait for a word or for an end that is due; on an idle machine they take a fraction of a second."""
WORKER = "infra.lab.processes.worker"
"""What the processes run; it is told their name and their pipes (infra/lab/processes/fork.py)."""


class Job(Protocol):
    """What a process is told to do."""

    def text(self) -> str:
        """The job as one line."""


class Process:
    """It is there at once, and works when it gets its job. Standard input, output and errors are pipes."""

    def __init__(self, name: str) -> None:
        self._name = name
        pipes = [os.pipe() for _ in range(3)]
        (own_in, to), (of, own_out), (errors, own_errors) = pipes
        self.its_ends = (own_in, own_out, own_errors)
        self._in, self._out, self._errors = os.fdopen(to, "w"), os.fdopen(of), os.fdopen(errors)
        self.pid: int | None = None
        self._ended = threading.Event()
        self._code: int | None = None

    def has_ended(self, code: int) -> None:
        """Called when it has ended, with its exit code; that of a signal is negative."""
        self._code = code
        self._ended.set()

    def is_unheard_of(self) -> None:
        """Called when nobody can say any more how it ends: if it has not ended yet, it counts as ended without a code."""
        self._ended.set()

    def says(self, word: str) -> str:
        """Wait until it says so; what it says behind the word. Raises TransientFailure if it ends, or is silent for SECONDS."""
        if not select.select([self._out], [], [], SECONDS)[0]:
            raise TransientFailure(f"a process of the lab ({self._name}) was not {word} within {SECONDS} s")
        said, _, more = self._out.readline().strip().partition(" ")
        if said != word:
            self._ended.wait(SECONDS)
            raise self._failed(f"said {said!r}, and was to be {word}")
        return more

    def tell(self, text: str) -> None:
        """Give it a line. Raises TransientFailure if it has ended."""
        try:
            self._in.write(text + "\n")
            self._in.flush()
        except BrokenPipeError:
            self._ended.wait(SECONDS)
            raise self._failed("ended early") from None

    def begin(self, job: Job) -> None:
        """Give it its job, and wait until it is ready."""
        self.tell(job.text())
        self.says("ready")

    def kill(self) -> None:
        """End it with SIGKILL, and wait until it is dead. Raises TransientFailure if it had ended by itself."""
        self.end()
        self.dies()

    def dies(self) -> None:
        """Wait until it is dead by SIGKILL. Raises TransientFailure if it ends in another way, or not within SECONDS."""
        self._ends(-signal.SIGKILL)

    def leave(self) -> None:
        """Let it end in an orderly way, and wait for it. Raises TransientFailure if it does not."""
        self.tell("leave")
        self._ends(0)

    def check(self) -> None:
        """Raises TransientFailure if it has ended."""
        if self._ended.is_set():
            raise self._failed("ended early")

    @property
    def is_over(self) -> bool:
        """Has it ended?"""
        return self._ended.is_set()

    def end(self) -> None:
        """End it with SIGKILL, if it has not ended."""
        if self.pid and not self._ended.is_set():
            with contextlib.suppress(ProcessLookupError):  # it ended at this moment
                os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Close the pipes; a process that is alive ends then."""
        with contextlib.suppress(BrokenPipeError):  # a line that it never read
            self._in.close()
        self._out.close()
        self._errors.close()

    def _ends(self, code: int) -> None:
        if not self._ended.wait(SECONDS):
            raise TransientFailure(f"a process of the lab ({self._name}) did not end within {SECONDS} s")
        if self._code != code:
            raise self._failed("ended in another way than it was to")

    def _failed(self, what: str) -> TransientFailure:
        said = (self._errors.read().strip().splitlines() or [f"exit code {self._code}"])[-1]
        return TransientFailure(f"a process of the lab ({self._name}) {what}: {said}")


class Family:
    """A context manager around `count` processes; leaving it ends them all. `name` is that of their transport, for errors.

    One process loads the libraries and forks them all, so that they cost little: the labs measure on a small machine. It
    says of each how it ended.
    """

    def __init__(self, name: str, count: int, module: str = WORKER) -> None:
        self.members = [Process(name) for _ in range(count)]
        ends = [one.its_ends for one in self.members]
        self._parent = subprocess.Popen(
            [sys.executable, "-m", module, name, *(",".join(map(str, own)) for own in ends)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            # What stops it before it has forked is the first one's error.
            stderr=ends[0][2],
            pass_fds=[end for own in ends for end in own],
            text=True,
        )
        for own in ends:
            for end in own:
                os.close(end)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> list[Process]:
        try:
            for one in self.members:
                one.pid = int(one.says("here"))
        except BaseException:
            self._close()
            raise
        return self.members

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        for one in self.members:
            one.end()
            one.close()
        try:
            self._parent.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._parent.kill()
            self._parent.wait()
        self._listener.join()

    def _listen(self) -> None:
        assert self._parent.stdout
        with self._parent.stdout:
            for line in self._parent.stdout:
                member, code = map(int, line.split())
                self.members[member].has_ended(code)
        for one in self.members:
            one.is_unheard_of()
