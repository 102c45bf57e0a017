"""The setting that chooses the project, and where a home keeps it.

Data flow: DAYBREAK_PROJECT as people write it -> a module's name, or an absolute folder
Run: daybreak doctor
"""

from pathlib import Path

SHOP = "streaming.shop"
"""The project that comes along."""
VARIABLE, PROJECT_FILE = "DAYBREAK_PROJECT", "project.env"


def absolute(said: str) -> str:
    """A folder (with a `/`, or `.`, `..`, `~`) as an absolute path, since programs run elsewhere; a module's name as it is.

    Raises ValueError if nothing is said.
    """
    if not said.strip():
        raise ValueError("name a module that can be imported, or a folder")
    if "/" in said or said in (".", "..") or said.startswith("~"):
        return str(Path(said).expanduser().resolve())
    return said
