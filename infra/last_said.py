"""What a program of ours said last: a small JSON file under the home that it writes again every second, or at each event.

Data flow: `<home>/run/<program>.json` -> its object
Run: daybreak status

Such a file is replaced at once, so nobody reads half of one. But after a power loss a file system may have the new name and none
of the bytes. It is then as if the program had said nothing: it says it again as soon as it runs.
"""

import json
from pathlib import Path
from typing import Any


def last_said(file: Path) -> dict[str, Any]:
    """The object in the file; empty where the file is missing, empty or cut off."""
    try:
        found = json.loads(file.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
