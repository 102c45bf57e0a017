"""A queue broker of a test's own: the platform's broker and configuration, on a free port."""

import socket
import subprocess
import time
from pathlib import Path

from pydantic import SecretStr

from infra.failures import TransientFailure
from infra.queue.broker import Broker, broker
from infra.queue.connection import Connection
from infra.services import queue
from infra.settings import ROOT, Settings

LONGEST_SECONDS = 60


class QueueServer:
    """The server, which can be killed and started again; it keeps what is durable."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        (home / "tmp").mkdir(parents=True)
        (home / "jars").symlink_to(ROOT / ".daybreak" / "jars")
        # The least memory, and the least disk of a queue, that settings allow.
        sizes = {"queue_memory": "96m", "queue_address_mb": 1, "queue_disk_mb": 16, "queue_free_mb": 16}
        self.settings = Settings(home=home, queue_port=port, queue_password=SecretStr("secret"), **sizes)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def broker(self) -> Broker:
        return broker(self.settings)

    def start(self) -> None:
        queue.prepare(self.settings)
        self.process = subprocess.Popen(queue.command(self.settings), stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + LONGEST_SECONDS
        while not self._answers():
            assert time.monotonic() < give_up, "the queue broker does not start"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            Connection(self.broker).close()
        except TransientFailure:
            return False
        return True

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
