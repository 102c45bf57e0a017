"""Where the stream's Spark works: copies of its state, and what does not fit into memory. Of use only while it runs.

Data flow: Settings -> `<home>/tmp/stream`, empty at each start
Run: pytest tests/streaming/test_profile.py
"""

import os
from pathlib import Path

from infra import left_behind
from infra.settings import Settings


def of(s: Settings) -> Path:
    """The folder of a platform's stream."""
    return left_behind.working_folder(s, "stream")


def emptied(s: Settings) -> None:
    """Remove what a stream that was killed has left: gigabytes, if its state is large."""
    left_behind.emptied(of(s))
    # Else RocksDB unpacks its library into a new file at each start.
    os.environ["ROCKSDB_SHAREDLIB_DIR"] = str(of(s))
