"""Which lake is in force: after a promotion a home's lake has another bucket, checkpoints and SQL catalogue than at first.

Data flow: `daybreak promote` -> `<home>/lake.env`, in one replacement of the file -> Settings
Run: daybreak promote
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from infra.failures import TransientFailure
from infra.owner_file import put

LAKE_FILE = "lake.env"
NAMES = ("bucket", "checkpoints", "gateway_metastore")
"""The settings that say where a lake is: its tables, the stream's place in the log, and what SQL finds."""


def variable(name: str) -> str:
    """Of one of NAMES."""
    return f"DAYBREAK_{name.upper()}"


def elsewhere() -> list[str]:
    """Those that the environment decides: a promotion could not change them."""
    return [variable(name) for name in NAMES if variable(name) in os.environ]


def refuse_other(home: Path, bucket: str) -> None:
    """Raise TransientFailure if a promotion has put another lake into force since this process read its settings."""
    with suppress(FileNotFoundError):
        line = f"{variable('bucket')}={bucket}"
        if variable("bucket") not in os.environ and line not in (home / LAKE_FILE).read_text().splitlines():
            raise TransientFailure(
                f"another lake than {bucket!r} was promoted since this began: nothing is written, the next run takes it"
            )


def enforce(home: Path, places: Mapping[str, str]) -> None:
    """From now on every process that starts finds the lake there. `places`: a value for each of NAMES."""
    put(home / LAKE_FILE, "".join(f"{variable(name)}={places[name]}\n" for name in NAMES))
