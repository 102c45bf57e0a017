"""A Valkey of a test's own: the platform's server and configuration, on a free port."""

import socket
import subprocess
import time
from pathlib import Path
from typing import Literal

from pydantic import SecretStr

from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.followers.cache_client import answers, client
from infra.shop.services import cache

LONGEST_SECONDS = 30


class CacheServer:
    """The server, which can be killed and started again; it keeps nothing."""

    def __init__(self, home: Path, megabytes: int = 32, tls: Literal["off", "on"] = "off") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        password = SecretStr("secret")
        self.settings = Settings(home=home, cache_port=port, cache_password=password, cache_mb=megabytes, tls=tls)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        cache.prepare(self.settings)
        command = cache.program(self.settings).command
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + LONGEST_SECONDS
        while not self._answers():
            assert time.monotonic() < give_up, "Valkey does not start"
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with answers(self.settings), client(self.settings) as own:
                return bool(own.ping())
        except TransientFailure:
            return False

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
