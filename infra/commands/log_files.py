"""The end of log files, and what is added to them.

Data flow: `<home>/logs/*.log` -> terminal
Run: daybreak logs kafka -f
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

FOLLOW_SECONDS = 0.3


def show(files: Sequence[Path], lines: int) -> None:
    """The last lines of each file, under its name if there are several."""
    for file in files:
        _name(files, file)
        for line in file.read_text(errors="replace").splitlines()[-lines or None :] if lines else []:
            print(line)


def follow(files: Sequence[Path]) -> NoReturn:
    """What is added to the files, until Ctrl-C."""
    read = {file: (file.stat().st_size, file.stat().st_ino) for file in files}
    said = files[-1]
    while True:
        time.sleep(FOLLOW_SECONDS)
        for file, (position, inode) in read.items():
            now = file.stat()
            # Supervisor starts a new file at 20 MB.
            position = 0 if now.st_ino != inode or now.st_size < position else position
            with file.open(errors="replace") as text:
                text.seek(position)
                added, position = text.read(), text.tell()
            read[file] = position, now.st_ino
            if added and file != said:
                said = file
                _name(files, file)
            print(added, end="", flush=True)


def _name(files: Sequence[Path], file: Path) -> None:
    if len(files) > 1:
        print(f"==> {file.stem} <==")
