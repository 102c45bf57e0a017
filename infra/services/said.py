"""Does a program of ours go on, by the status file that it writes every second?

Data flow: `<home>/run/<program>.json`, process id -> None, or what the program waits for
Run: daybreak status
"""

import time
from pathlib import Path

from infra.durations import span
from infra.last_said import last_said


def waits_for(file: Path, pid: int, name: str, starts: str, silent_seconds: float) -> str | None:
    """`starts`: what it does before its first word; `silent_seconds`: oldest file of a program that works."""
    last = last_said(file)
    if last.get("pid") != pid:
        return starts
    age = time.time() - last["at"]
    return f"its status file, which is {span(age)} old: see daybreak logs {name}" if age > silent_seconds else None


def notices(file: Path, pid: int) -> tuple[str, ...]:
    """What the program wants people to know, if the process `pid` has written the file."""
    last = last_said(file)
    return tuple(last.get("notices", ())) if last.get("pid") == pid else ()
