"""An object store of a test's own: the platform's server, keys and bucket, on a free port."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra import secrets
from infra.services import store
from infra.settings import ROOT, Settings, load

LONGEST_SECONDS = 60


@contextmanager
def served(kind: str, home: Path) -> Iterator["StoreServer"]:
    """A running store of a kind, in a home of its own, which is this process's only while it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAYBREAK_HOME", str(home))
        patch.setenv("DAYBREAK_STORE", kind)
        own = StoreServer(home)
        own.start()
    yield own
    own.kill()


class StoreServer:
    """The server, which can be killed and started again on the same files; DAYBREAK_HOME names its home."""

    def __init__(self, home: Path) -> None:
        self.home, self.made_by = home, load().store
        (home / "bin").symlink_to(ROOT / ".daybreak" / "bin")
        secrets.ensure(load())
        with socket.socket() as probe, socket.socket() as other:
            probe.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            ports = f"DAYBREAK_S3_PORT={probe.getsockname()[1]}\nDAYBREAK_S3_CONSOLE_PORT={other.getsockname()[1]}\n"
        with (home / "secrets.env").open("a") as file:
            file.write(ports)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def settings(self) -> Settings:
        """As every process of this home reads them."""
        return load()

    def start(self) -> None:
        program = store.program(self.settings)
        program.prepare()
        self.process = subprocess.Popen(
            program.command, env=os.environ | program.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        give_up = time.monotonic() + LONGEST_SECONDS
        try:
            while wants := program.waits_for(self.process.pid):
                assert time.monotonic() < give_up, f"the store waits for {wants}"
                time.sleep(0.02)
            program.complete()
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
