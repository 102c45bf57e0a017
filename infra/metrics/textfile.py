"""A file for the textfile collector of node_exporter: whole at any moment, and readable by its group.

Data flow: text of metrics -> `<folder>/daybreak.prom`
Run: daybreak metrics --to /var/lib/node_exporter/textfile

The folder decides who reads it: with the setgid bit the file gets the folder's group. All else of ours is its owner's alone.
"""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from infra.failures import PermanentFailure

NAME = "daybreak.prom"
MODE = 0o640


def written(folder: Path, text: str) -> Path:
    """Replace the file at once; returns its path. Raises PermanentFailure if the folder is missing, or not ours to write."""
    if not folder.is_dir():
        raise PermanentFailure(
            f"{folder} is no folder: make it, for the group that node_exporter runs in, by "
            f"`install -d -m 2750 -o $USER -g GROUP {folder}`"
        )
    try:
        # A name that nobody can foresee, and that does not end in .prom: the collector passes over it.
        number, half = tempfile.mkstemp(prefix=f".{NAME}.", dir=folder)
    except PermissionError as refused:
        raise PermanentFailure(f"{folder} cannot be written: {refused.strerror}") from refused
    try:
        with os.fdopen(number, "w") as file:
            os.fchmod(number, MODE)
            file.write(text)
        return Path(half).replace(folder / NAME)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(half)
        raise
