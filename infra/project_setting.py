"""The settings that a project brings along: which project it is, and its `daybreak.toml`.

Data flow: DAYBREAK_PROJECT, or the folder that one is in -> a module's name or an absolute folder -> its settings
Run: daybreak doctor
"""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from infra.failures import PermanentFailure
from infra.installation import IS_CLONE, STATE

VARIABLE, PROJECT_FILE = "DAYBREAK_PROJECT", "project.env"
"""Which project; the file in which a home keeps it."""
TOML = "daybreak.toml"


def absolute(said: str) -> str:
    """A folder (with a `/`, or `.`, `..`, `~`) as an absolute path, since programs run elsewhere; a module's name as it is.

    Raises ValueError if nothing is said.
    """
    if not said.strip():
        raise ValueError("name a module that can be imported, or a folder")
    if "/" in said or said in (".", "..") or said.startswith("~"):
        return str(Path(said).expanduser().resolve())
    return said


def asked_for() -> str | None:
    """The project that the environment names, else the one in whose folder, the nearest with a TOML, this process is.

    The second is put into the environment: programs that this one starts run elsewhere, and are of the same project.
    """
    if (said := os.environ.get(VARIABLE)) is not None:
        return said
    try:
        here = Path.cwd()
    except FileNotFoundError:
        return None
    for folder in (here, *here.parents):
        if (folder / TOML).is_file():
            os.environ[VARIABLE] = str(folder)
            return str(folder)
    return None


def noted(home: Path) -> str | None:
    """The project whose data the home has."""
    file = home / PROJECT_FILE
    return file.read_text().strip().partition("=")[2] if file.exists() else None


def folder_of(project: str | None) -> Path | None:
    """The project's folder; None if it is a module, or none is said."""
    folder = Path(absolute(project)) if project and project.strip() else Path()
    return folder if folder.is_absolute() else None


def settings_of(project: str | None) -> dict[str, Any]:
    """The settings in a project's TOML, by their names in lower case; none if it is a module, or has no such file. A `home` is a
    path from the project's folder.

    Raises PermanentFailure if the file cannot be read.
    """
    folder = folder_of(project)
    if folder is None or not (file := folder / TOML).is_file():
        return {}
    try:
        found = {name.lower(): value for name, value in tomllib.loads(file.read_text()).items()}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise PermanentFailure(f"{file} is no TOML: {wrong}") from wrong
    if "home" in found:
        found["home"] = str((folder / str(found["home"])).resolve())
    return found


def home_of(project: str | None) -> Path:
    """The home that is named; else the clone's, or where the wheel is installed that in the project's folder, or in this one."""
    if named := os.environ.get("DAYBREAK_HOME") or settings_of(project).get("home"):
        return Path(named).resolve()
    if IS_CLONE:
        return STATE.resolve()
    home = (folder_of(project) or Path.cwd()) / ".daybreak"
    # Programs that this one starts run elsewhere, and have the same home.
    os.environ["DAYBREAK_HOME"] = str(home)
    return home


def below(project: str, files: Iterable[Path], known: Mapping[str, bool]) -> dict[str, Any]:
    """What the project's TOML sets, and neither the environment nor these files of the home do.

    Raises PermanentFailure as `settings_of`, and as `refuse`.
    """
    found = settings_of(project)
    refuse(project, found, known)
    given = {name.lower() for name in (*os.environ, *(name for file in files for name in dotenv_values(file)))}
    return {name: value for name, value in found.items() if f"daybreak_{name}" not in given}


def refuse(project: str, found: Mapping[str, Any], known: Mapping[str, bool]) -> None:
    """Raise PermanentFailure for a name that is no setting, or that of a secret. `known`: every setting -> is it a secret?"""
    for name in found:
        if name not in known or name == "project":
            raise PermanentFailure(
                f"{project}/{TOML} sets {name!r}, and there is no such setting: infra/README.md lists them"
            )
        if known[name]:
            raise PermanentFailure(
                f"{project}/{TOML} sets {name!r}, a secret: a project is in a repository. Set DAYBREAK_{name.upper()} in the "
                "environment, or in the home's secrets.env"
            )
