"""The processes of a run, producers and consumers, over the transport that the command line names.

Data flow: Job on standard input -> orders sent, or processed; the ledger
Run: daybreak lab direct

Each says "here" and its id, and "ready" when it can be reached. Then a producer waits for "go". At "leave" a consumer ends
as one that is stopped in an orderly way. When standard input is closed, whoever started it has ended, and so does it: nothing
of a lab outlives it.
"""

import json
import os
import signal
import sys
import threading
import time
from itertools import islice
from pathlib import Path

from infra.lab.processes.fork import fork
from infra.lab.processes.job import Death, Job, Place, Role
from infra.lab.processes.ledger import Ledger
from infra.lab.processes.message import Numbered
from infra.lab.processes.pace import Pace
from infra.lab.transports.transport import Ends, Full, Transport, ends


class Told:
    """What standard input says after the job."""

    def __init__(self) -> None:
        self.go, self.leave = threading.Event(), threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in sys.stdin:
            {"go": self.go, "leave": self.leave}[line.strip()].set()
        os._exit(0)


def produce(job: Job, both: Ends, told: Told) -> None:
    """Send each order when it is due, and stay: a transport may still be asked to repeat."""
    ledger = Ledger(Path(job.ledger))
    sender = both.sender(job.wire, ledger.sent)
    with Path(job.orders_file).open("rb") as file:
        values = [line.rstrip(b"\n") for line in islice(file, job.first, job.end)]
    sender.wait_for(job.consumers)
    print("ready", flush=True)
    told.go.wait()
    began = time.monotonic_ns()
    for place, value in enumerate(values):
        due = began + int(place * 1e9 / job.rate)
        if (early := due - time.monotonic_ns()) > 0:
            time.sleep(early / 1e9)
        try:
            sender.send(job.first + place, Numbered(job.first + place, due, value).packed())
        except Full:
            ledger.refused(job.first + place)
    sender.flush()
    ledger.ended()
    threading.Event().wait()


def consume(job: Job, both: Ends, told: Told) -> None:
    """Process orders until told to leave, no faster than the job's pace."""
    pace = Pace(job.pace)
    ledger = Ledger(Path(job.ledger))
    receiver = both.receiver(job.wire, job.consumer, job.first)

    def process(message: bytes) -> None:
        number, due, value = Numbered.read(message)
        _die(job.death, number, Place.BEFORE)
        json.loads(value)
        pace.keep()
        ledger.processed(job.consumer, number, time.monotonic_ns() - due)
        _die(job.death, number, Place.BEHIND)

    print("ready", flush=True)
    receiver.run(process, told.leave.is_set)


def _die(death: Death | None, number: int, place: Place) -> None:
    if death and death.place is place and number >= death.number:
        os.kill(os.getpid(), signal.SIGKILL)


def _ends_all(failed: threading.ExceptHookArgs) -> None:
    """A process in which one thread has failed is of no use, and would wait for it for ever."""
    os.write(sys.stderr.fileno(), f"{failed.exc_type.__name__}: {failed.exc_value}\n".encode())
    os._exit(1)


def work(both: Ends) -> None:
    """Do the one job that comes."""
    threading.excepthook = _ends_all
    print("here", os.getpid(), flush=True)
    if line := sys.stdin.readline():
        job = Job.read(line)
        (produce if job.role is Role.PRODUCER else consume)(job, both, Told())


def main(transport: str, pipes: list[str]) -> None:
    """Load the transport, and fork a process for each three pipes."""
    # As below: until the processes are there, nothing else hears Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    both = ends(Transport(transport))
    fork(pipes, lambda: work(both))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
