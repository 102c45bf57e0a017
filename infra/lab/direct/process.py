"""A process of the lab, as the one that started it sees it.

Data flow: Job -> a process of infra/lab/direct/worker.py; what it says -> waits that end
Run: daybreak lab direct
"""

import contextlib
import select
import signal
import subprocess
import sys

from infra.failures import TransientFailure
from infra.lab.direct.job import Job
from infra.lab.direct.transports import Transport
from infra.settings import ROOT

SECONDS = 30
"""Longest wait for a word or for an end that is due; on an idle machine they take a fraction of a second."""


class Process:
    """Starts at once and loads its libraries; it works when it gets its job."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._process = subprocess.Popen(
            [sys.executable, "-m", "infra.lab.direct.worker", transport],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def says(self, word: str) -> None:
        """Wait until it says so. Raises TransientFailure if it ends before, or says nothing for SECONDS."""
        out = self._process.stdout
        assert out
        if not select.select([out], [], [], SECONDS)[0]:
            raise TransientFailure(f"a process of the lab ({self._transport}) was not {word} within {SECONDS} s")
        if (said := out.readline().strip()) != word:
            self._process.wait(SECONDS)
            raise self._failed(f"said {said!r}, and was to be {word}")

    def tell(self, text: str) -> None:
        """Give it a line. Raises TransientFailure if it has ended."""
        assert self._process.stdin
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            self._process.wait(SECONDS)
            raise self._failed("ended early") from None

    def begin(self, job: Job) -> None:
        """Give it its job, and wait until it is ready."""
        self.tell(job.text())
        self.says("ready")

    def kill(self) -> None:
        """End it with SIGKILL, and wait until it is dead. Raises TransientFailure if it had ended by itself."""
        self._process.kill()
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
        if self._process.poll() is not None:
            raise self._failed("ended early")

    def close(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(BrokenPipeError):  # a line that it never read
            self._process.stdin.close()
        self._process.stdout.close()
        assert self._process.stderr
        self._process.stderr.close()

    def _ends(self, code: int) -> None:
        try:
            ended = self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            raise TransientFailure(f"a process of the lab ({self._transport}) did not end within {SECONDS} s") from None
        if ended != code:
            raise self._failed("ended in another way than it was to")

    def _failed(self, what: str) -> TransientFailure:
        assert self._process.stderr
        said = (self._process.stderr.read().strip().splitlines() or [f"exit code {self._process.returncode}"])[-1]
        return TransientFailure(f"a process of the lab ({self._transport}) {what}: {said}")
