"""The stream's status file: what it does, its last micro-batch, what it holds, and what people should know.

Data flow: the stream -> `<home>/run/stream.json`, which `daybreak status` reads
Run: daybreak status
"""

import json
import os
import time
from collections.abc import Mapping, Sequence

from infra.page.write import put
from infra.settings import settings


def write_status(
    state: str,
    query: str = "",
    batch: Mapping[str, float] | None = None,
    held: Mapping[str, tuple[int, int]] | None = None,
    notices: Sequence[str] = (),
    reads_back: str = "",
) -> None:
    """Write the file anew.

    `batch` is the last micro-batch since the start; `held` what is kept for views since then: rows, bytes;
    `notices` are sentences for people; `reads_back` is what it reads back before its first micro-batch.
    """
    status = {
        "pid": os.getpid(),
        "state": state,
        "at": time.time(),
        "query": query,
        "batch": batch,
        "held": held or {},
        "notices": notices,
        "reads_back": reads_back,
    }
    put(settings().home / "run" / "stream.json", json.dumps(status).encode())
