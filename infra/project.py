"""The project in force: where the package lies that has a team's topics and views, and by which name it is imported.

Data flow: DAYBREAK_PROJECT (a module's name, or a folder) -> Place; `<home>/project.env` keeps which it is
Run: DAYBREAK_PROJECT=../mine daybreak up

Only where it is: what it defines, `streaming.project` loads.
"""

import keyword
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from infra.failures import PermanentFailure
from infra.project_setting import PROJECT_FILE, VARIABLE, noted
from infra.registry import DEFAULT, every
from infra.settings import ROOT, Settings

OURS = ("infra", "streaming", "batch", "dags", "tests")
"""Packages of the platform: a project's folder has another name."""
DATA = ("kafka", "checkpoints")
"""Folders of a home whose stream has run; before projects were noted, it was that of the one that comes along."""


@dataclass(frozen=True)
class Place:
    """Where a project is.

    `module`: the name by which it is imported. `folder`: the package itself, with `contracts`, `views`, `examples`. `path`: the
    folder on Python's path in which the module's first name is found.
    """

    module: str
    folder: Path
    path: Path

    @property
    def is_ours(self) -> bool:
        """Does it come along with the platform?"""
        return self.folder.is_relative_to(ROOT) and self.module.partition(".")[0] in OURS

    @property
    def package(self) -> Path:
        """The folder of the module's first name, which has all of the project's code."""
        return self.path / self.module.partition(".")[0]

    @property
    def shown(self) -> str:
        """The folder as people write it: from the platform's root, or from the folder on Python's path."""
        return self.folder.relative_to(ROOT if self.is_ours else self.path).as_posix()


def place(s: Settings) -> Place:
    """Where the project of these settings is. Raises PermanentFailure if it is not there, or cannot be imported by its name."""
    return _of_folder(Path(s.project)) if _is_folder(s.project) else _of_module(s.project)


def importable(found: Place) -> None:
    """Let this process import it. Behind all else: a project hides no module of others."""
    _leave_rooms()
    if str(found.path) not in sys.path:
        sys.path.append(str(found.path))


def _leave_rooms() -> None:
    """spark-submit puts its script's folder first: a room of the night, e.g. `status`, would hide a project of its name."""
    sys.path[:] = [one for one in sys.path if one != str(ROOT / "batch")]


def python_path(s: Settings) -> str:
    """PYTHONPATH of this platform's programs, and of the Python that Spark starts: our code, then the project's."""
    return ":".join(dict.fromkeys([str(ROOT), str(place(s).path)]))


def keep(s: Settings) -> None:
    """Note in the home whose data it has, for every later command.

    Raises PermanentFailure if it has another project's, or if an option of a registered project is on in another one.
    """
    place(s)
    for project, parts in every().items():
        if project != s.project and (its := [one.name for one in parts.options if s.has(one.name)]):
            raise PermanentFailure(
                f"{', '.join(its)} is an option of {parts.title}: the project {s.project} has no such topics"
            )
    file = s.home / PROJECT_FILE
    has_data = any((s.home / folder).exists() for folder in DATA)
    own = noted(s.home) or (DEFAULT if has_data else s.project)
    if own != s.project:
        raise PermanentFailure(
            f"the home {s.home} has the data of the project {own}, and DAYBREAK_PROJECT names {s.project}: give that a home of "
            "its own (DAYBREAK_HOME, and DAYBREAK_PORT_BASE for its ports), or, if it is the same one and has moved, remove "
            f"{file}"
        )
    s.home.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{VARIABLE}={s.project}\n")


def _is_folder(said: str) -> bool:
    return Path(said).is_absolute()


def _of_folder(folder: Path) -> Place:
    if not folder.is_dir():
        raise PermanentFailure(f"there is no project in {folder} (DAYBREAK_PROJECT): it is no folder")
    name = folder.name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise PermanentFailure(
            f"the project's folder {folder} (DAYBREAK_PROJECT) is a package of Python, and `{name}` is no name for one: "
            "use letters, digits and _"
        )
    if name in OURS or name in sys.stdlib_module_names:
        raise PermanentFailure(
            f"the project's folder {folder} (DAYBREAK_PROJECT) has the name of another package, `{name}`: rename it"
        )
    return Place(name, folder, folder.parent)


def _of_module(module: str) -> Place:
    _leave_rooms()
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise PermanentFailure(
            f"there is no module `{module}` (DAYBREAK_PROJECT): install it, or name the project's folder, e.g. ./{module}"
        )
    if not spec.submodule_search_locations:
        raise PermanentFailure(
            f"`{module}` (DAYBREAK_PROJECT) is one file: a project is a package with the modules `contracts` and `views`"
        )
    folder = Path(next(iter(spec.submodule_search_locations))).resolve()
    return Place(module, folder, folder.parents[module.count(".")])
