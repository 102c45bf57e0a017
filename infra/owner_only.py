"""What the platform writes is its owner's alone, from the first moment: no other user of the machine may read it.

Data flow: a process of ours -> its umask, which all that it starts inherits; a home that others may enter -> a closed one
Run: daybreak up

Nothing else of ours sets modes, but for infra/owner_file.py: what holds a secret is shut whatever the umask.
"""

import os
import stat
from pathlib import Path

UMASK = 0o077
OWNER_ONLY = 0o600
OTHERS = stat.S_IRWXG | stat.S_IRWXO
INSTALLED = ("bin", "jars", "tools", "cache")
"""What set-up has put into the clone's own home: programs that anybody may have, and tens of thousands of files."""


def begin() -> None:
    """From here on this process, and what it starts, writes for its owner alone."""
    os.umask(UMASK)


def narrow(home: Path) -> bool:
    """Close a home that others may enter, and all that lies in it; True if it was open. A volume of somebody else's stays."""
    if not home.is_dir() or not close(home):
        return False
    for folder, folders, files in os.walk(home):
        if Path(folder) == home:
            folders[:] = [name for name in folders if name not in INSTALLED]
        for name in (*folders, *files):
            close(Path(folder, name))
    return True


def close(path: Path) -> bool:
    """Take from others what they may do with a file of ours; True if there was something to take."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode) or not found.st_mode & OTHERS or found.st_uid != os.geteuid():
            return False
        path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)
    except FileNotFoundError:
        # A program that still runs has removed it.
        return False
    return True
