"""The object store's server: versitygw, and for homes whose lake is in its format MinIO, each built from a pinned version.

Data flow: Go module proxy, infra/setup/go/*/go.sum -> `.daybreak/bin/versitygw`; on demand `.daybreak/bin/minio`
Run: python3 -m infra.setup store
"""

import os

from infra.setup.environment import INSTALLER
from infra.setup.go_build import BIN, Program, install
from infra.setup.step import Step

VERSITYGW = Program("github.com/versity/versitygw/cmd/versitygw", "v1.8.0", (1, 25))
MINIO = Program("github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c", (1, 24))
"""The last commit of the archived project."""


def _step(name: str, says: str, stamp: str, server: Program) -> Step:
    return Step(
        name=name,
        says=says,
        stamp=BIN / stamp,
        made_from=server.said,
        install=lambda: install(server),
        complete=lambda: os.access(server.binary, os.X_OK),
        after=INSTALLER.name,
    )


STEP = _step(
    "store",
    "The object store, versitygw, built from its source (one to three minutes)",
    "versitygw-stamp",
    VERSITYGW,
)
MINIO_STEP = _step(
    "minio",
    "The other object store, MinIO, built from its source (two to four minutes)",
    "stamp",
    MINIO,
)
"""The stamp is called as it was when there was only MinIO: what is built stays."""
