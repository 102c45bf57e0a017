"""The lab's brokers as processes, to be killed, paused and started again: they live as long as the lab.

Data flow: Nodes, free ports -> processes
Run: daybreak lab acks
"""

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from infra.failures import TransientFailure
from infra.kafka.brokers import Node, command
from infra.lab.acks import tether
from infra.settings import Settings

PORTS = range(10_000, 32_000)
"""Below those that the kernel gives to clients: a broker that is started again needs its port."""
OUTPUT = "output.log"


class Brokers:
    """A context manager around the processes of some brokers; leaving it kills all that run."""

    def __init__(self, s: Settings, nodes: Sequence[Node]) -> None:
        self._settings, self._nodes = s, nodes
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, number: int) -> None:
        """Start a broker, which is waited for elsewhere. It ends with this thread: call it from the one that runs the lab."""
        node = self._nodes[number - 1]
        tethered = [
            sys.executable,
            "-I",
            "-S",
            tether.__file__,
            str(os.getpid()),
            *command(self._settings, node),
        ]
        with (node.folder / OUTPUT).open("ab") as out:
            # In a session of its own Ctrl-C does not reach it; it is ended by the lab.
            self._running[number] = subprocess.Popen(tethered, stdout=out, stderr=out, start_new_session=True)

    def kill(self, number: int) -> None:
        """End a broker with SIGKILL, and wait until it is dead."""
        process = self._running.pop(number)
        process.kill()
        process.wait()

    @contextmanager
    def paused(self, numbers: Sequence[int]) -> Iterator[None]:
        """These brokers stand still, as in a long garbage collection."""
        for number in numbers:
            self._running[number].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for number in numbers:
                self._running[number].send_signal(signal.SIGCONT)

    def __enter__(self) -> "Brokers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running.values():
            process.kill()
        for process in self._running.values():
            process.wait()

    def check(self) -> None:
        """Raises TransientFailure, with its last words, if one has ended that nobody has killed."""
        for number, process in self._running.items():
            if process.poll() is not None:
                said = (self._nodes[number - 1].folder / OUTPUT).read_text(errors="replace").strip().splitlines()
                raise TransientFailure(f"broker {number} of the lab ended by itself: {said[-1] if said else 'no word'}")


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody has now, all different. Raises TransientFailure if there are not enough."""
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise TransientFailure(f"of the ports from {PORTS.start} to {PORTS.stop - 1} not {count} are free")
