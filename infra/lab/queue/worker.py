"""The processes of the lab: consumers that are told step by step, and what pours and drains as fast as it can.

Data flow: Job on standard input -> messages taken and processed; the ledger
Run: daybreak lab queue

Each says "here" and its id, and "ready" when it can be reached. Then a "go" lets a consumer that halts work on one message,
"run" on all; at "leave" it ends as one that is stopped in an orderly way. When standard input is closed, whoever started it has
ended, and so does it: nothing of a lab outlives it.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from infra.lab.processes.fork import fork
from infra.lab.processes.ledger import Ledger
from infra.lab.queue.consumers import POLL_SECONDS, consumer
from infra.lab.queue.flow import drain, pour
from infra.lab.queue.job import Job, Role


class Told:
    """What standard input says after the job."""

    def __init__(self) -> None:
        self.go, self.runs, self.leave = threading.Semaphore(0), threading.Event(), threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            match line.strip():
                case "go":
                    self.go.release()
                case "run":
                    self.runs.set()
                case "leave":
                    self.leave.set()
        os._exit(0)

    def wait(self) -> None:
        """Until there is a "go", or it runs."""
        while not (self.runs.is_set() or self.go.acquire(timeout=POLL_SECONDS)):
            pass


def consume(job: Job, told: Told) -> None:
    """Take one message after the other, until told to leave."""
    ledger, own = Ledger(Path(job.ledger)), consumer(job)
    print("ready", flush=True)
    while not told.leave.is_set():
        if not (taken := own.take()):
            continue
        ledger.taken(job.consumer, taken.number)
        if job.halts:
            told.wait()
        if taken.number in job.dies_before:
            _die()
        time.sleep(job.work)
        ledger.processed(job.consumer, taken.number, 0)
        if taken.number in job.dies_behind:
            _die()
        if job.acks is None or taken.number in job.acks:
            own.acknowledge(taken)
    own.leave()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def work() -> None:
    """Do the one job that comes."""
    print("here", os.getpid(), flush=True)
    if not (line := sys.stdin.readline()):
        return
    job, told = Job.read(line), Told()
    if job.role is Role.CONSUMER:
        consume(job, told)
        return
    messages, seconds = (pour if job.role is Role.POURS else drain)(job, told.wait)
    print("done", messages, seconds, flush=True)
    told.leave.wait()


if __name__ == "__main__":
    fork(sys.argv[2:], work)
