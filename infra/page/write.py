"""Write a page while somebody may be reading the older one.

Data flow: bytes -> a new file beside the old one -> its name
Run: daybreak report --date 2026-01-31 --out report.html
"""

import os
from pathlib import Path


def put(file: Path, content: bytes) -> Path:
    """Write the file atomically, and its folder if it is missing; returns its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f".{file.name}.{os.getpid()}")
    half.write_bytes(content)
    return half.replace(file)
