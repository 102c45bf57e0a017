"""A Postgres of a test's own: the platform's server and configuration, on a free port, with the shop's tables."""

import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import SecretStr

from infra.services import postgres
from infra.settings import Settings
from infra.shop.db import tables

LONGEST_SECONDS = 60


class DatabaseServer:
    """The server, which can be killed and started again. With one role; `more` are passwords of others."""

    def __init__(self, home: Path, more: Mapping[str, SecretStr] = MappingProxyType({})) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        own = Settings(home=home, postgres_port=port, postgres_password=SecretStr("secret"))
        self.settings = own.model_copy(update=dict(more))
        self._program = postgres.program(self.settings)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._program.prepare()
        self.process = subprocess.Popen(self._program.command, cwd="/", stderr=subprocess.DEVNULL)
        give_up = time.monotonic() + LONGEST_SECONDS
        while self._program.waits_for(self.process.pid) is not None:
            assert time.monotonic() < give_up, "Postgres does not start"
            time.sleep(0.05)
        self._program.complete()
        tables.create(self.settings)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()
