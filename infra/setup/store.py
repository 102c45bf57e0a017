"""The object store's server: versitygw, and for homes whose lake is in its format MinIO, each built from a pinned version.

Data flow: Go module proxy -> `.daybreak/bin/versitygw`; on demand `.daybreak/bin/minio`
Run: python3 -m infra.setup store
"""

import os
from dataclasses import dataclass
from pathlib import Path

from infra.setup.environment import INSTALLER
from infra.setup.go_build import BIN, binary, install
from infra.setup.step import Step, digest


@dataclass(frozen=True)
class Server:
    """A store's server: its Go package, the pinned version, and the oldest Go that builds it."""

    package: str
    version: str
    oldest_go: tuple[int, int]

    @property
    def binary(self) -> Path:
        """The program that is built."""
        return binary(self.package)


VERSITYGW = Server("github.com/versity/versitygw/cmd/versitygw", "v1.8.0", (1, 25))
MINIO = Server("github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c", (1, 24))
"""The last commit of the archived project."""


def _step(name: str, says: str, stamp: str, server: Server) -> Step:
    return Step(
        name=name,
        says=says,
        stamp=BIN / stamp,
        made_from=lambda: digest(server.package, server.version),
        install=lambda: install(server.package, server.version, server.oldest_go),
        complete=lambda: os.access(server.binary, os.X_OK),
        after=INSTALLER.name,
    )


STEP = _step(
    "store",
    "The object store, versitygw, into .daybreak/bin, built from its source (one to three minutes)",
    "versitygw-stamp",
    VERSITYGW,
)
MINIO_STEP = _step(
    "minio",
    "The other object store, MinIO, into .daybreak/bin, built from its source (two to four minutes)",
    "stamp",
    MINIO,
)
"""The stamp is called as it was when there was only MinIO: what is built stays."""
