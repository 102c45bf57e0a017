"""The command `new`: a project to begin with, in a folder of its own.

Data flow: streaming/starter -> a folder with a topic, a view, examples, tests and settings
Run: daybreak new mine
"""

import re
import shutil
from pathlib import Path
from zlib import crc32

import typer

from infra.failures import PermanentFailure
from infra.project import place
from infra.project_setting import TOML
from infra.settings import ROOT, settings

commands = typer.Typer()

STARTER = ROOT / "streaming" / "starter"
PORTS, APART, MOST = 22_000, 100, 80
"""The ports of new projects begin here, and so far apart; so many projects have ports of their own, by their names."""


@commands.command()
def new(name: str) -> None:
    """Make a project in the folder NAME: one topic, one view, examples, a test that passes, and its settings."""
    folder = made(Path(name))
    shown = folder.name if folder.parent == Path.cwd() else folder
    print(
        f"{folder}: contracts.py, views.py, examples, tests, {TOML}. Next:\n"
        f"  cd {shown}\n"
        "  pytest tests             # its examples and its view, in both layers\n"
        "  daybreak up              # its own platform, on its own ports\n"
        "  tr -d '\\n' < examples/readings/good/reading_taken.json | daybreak send readings"
    )


def made(folder: Path) -> Path:
    """Write it; returns its absolute path. Raises PermanentFailure if the folder is there, or cannot be a package."""
    folder = folder.expanduser().resolve()
    if folder.exists():
        raise PermanentFailure(f"{folder} exists: choose another name, or remove it")
    shutil.copytree(STARTER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    toml = folder / TOML
    base = PORTS + APART * (crc32(folder.name.encode()) % MOST)
    toml.write_text(re.sub(r"port_base = \d+", f"port_base = {base}", toml.read_text()))
    try:
        place(settings().model_copy(update={"project": str(folder)}))
    except PermanentFailure:
        shutil.rmtree(folder)
        raise
    return folder
