"""Does a program of ours go on, by the status file that it writes every second?

Data flow: `<home>/run/<program>.json`, process id -> None, or what the program waits for
Run: daybreak status
"""

import json
import time
from pathlib import Path

from infra.durations import span


def waits_for(file: Path, pid: int, name: str, starts: str, silent_seconds: float) -> str | None:
    """`starts`: what it does before its first word; `silent_seconds`: oldest file of a program that works."""
    said = json.loads(file.read_text()) if file.exists() else {}
    if said.get("pid") != pid:
        return starts
    age = time.time() - said["at"]
    return f"its status file, which is {span(age)} old: see daybreak logs {name}" if age > silent_seconds else None
