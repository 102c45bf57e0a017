"""Where the stream's Spark works: copies of its state, and what does not fit into memory. Of use only while it runs.

Data flow: Settings -> `<home>/tmp/stream`, empty at each start
Run: pytest tests/streaming/test_profile.py
"""

import os
import shutil
from pathlib import Path

from infra.settings import Settings


def of(s: Settings) -> Path:
    """The folder of a platform's stream."""
    return s.home / "tmp" / "stream"


def emptied(s: Settings) -> None:
    """Remove what a stream that was killed has left: gigabytes, if its state is large."""
    shutil.rmtree(of(s), ignore_errors=True)
    of(s).mkdir(parents=True)
    # Else RocksDB unpacks its library into a new file at each start.
    os.environ["ROCKSDB_SHAREDLIB_DIR"] = str(of(s))
