"""The dbt project of a project that did not come along: the platform's models, what follows from its views, and its own models.

Data flow: dbt/ without what is one project's, generated files, `<project>/dbt` -> `<home>/dbt/project`
Run: DAYBREAK_PROJECT=../mine python -m batch.catalog
"""

from pathlib import Path

from batch.catalog.files import MADE, files, put
from batch.catalog.text import macro_list
from infra.failures import PermanentFailure
from infra.installation import DBT
from infra.registry import DEFAULT
from infra.settings import Settings
from infra.sql.models import models
from streaming.project import folder

OF_DEFAULT = (DEFAULT.rpartition(".")[2], "overview.md")
"""Folders and files of dbt/ that are about the project that comes along alone."""
OWN_MACROS = "macros/own.sql"
"""What a project's marts are to the platform's, as those of the one that comes along. Without such a file all are reports."""


def composed() -> dict[str, str]:
    """Every file: its path in the dbt project, and its text. Raises PermanentFailure if the project has a file of ours."""
    ours = {path: text for path, text in _read(DBT).items() if _is_shared(path, text)}
    made = {path.removeprefix("dbt/"): text for path, text in files().items() if path.startswith("dbt/")}
    own = _read(folder().folder / "dbt")
    if twice := sorted(own.keys() & {*ours, *made}):
        raise PermanentFailure(f"{folder().folder}/dbt/{twice[0]} has the name of a file of the platform: rename it")
    marts = [Path(path).stem for path in own if path.startswith("models/marts/") and path.endswith(".sql")]
    return {OWN_MACROS: _own_macros(sorted(marts)), **ours, **made, **own}


def write(s: Settings) -> None:
    """Write what has changed, and remove what is gone."""
    target, found = models(s), composed()
    put(target, found, _read(target).keys() - found.keys(), target)


def _read(root: Path) -> dict[str, str]:
    return {file.relative_to(root).as_posix(): file.read_text() for file in sorted(root.rglob("*")) if file.is_file()}


def _is_shared(path: str, text: str) -> bool:
    return MADE not in text.split("\n", 1)[0] and not {*Path(path).parts}.intersection(OF_DEFAULT)


def _own_macros(marts: list[str]) -> str:
    lists = {"own_facts": [], "own_reports": marts, "own_models_of_gaps": []}
    return "\n".join(macro_list(name, found) for name, found in lists.items())
