"""A project's topics and views are found by one rule, and whatever is wrong with them is one sentence that says where.

Data flow: a folder with `contracts.py` and `views.py` -> CONTRACTS and VIEWS, or PermanentFailure
Run: pytest tests/streaming/test_own_project.py
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from infra.failures import PERMANENT_EXIT, PermanentFailure
from infra.project import Place
from infra.settings import ROOT
from streaming import project

CONTRACTS = """
from infra.lake.columns import column, struct
from streaming.contracts.contract import Contract, matches

READINGS = Contract(
    topic="readings",
    description="Readings.",
    key="sensor_id",
    payload=struct(column("sensor_id", "string", "The sensor")),
    required={"reading_taken": ("sensor_id",)},
    rules=(matches("sensor_id", "s-[0-9]+"),),
)
CONTRACTS = (READINGS,)
"""
VIEWS = """
from datetime import timedelta
from infra.lake.columns import column
from streaming.views.law import ByPart
from streaming.views.view import View

LAST = View(
    name="last", description="The last one.", inputs=("readings",), define=lambda events: events["readings"],
    columns=(column("sensor_id", "string", "The sensor"), column("at", "timestamp", "When"), column("n", "bigint", "1")),
    key=("sensor_id", "at"), time="at", closes="at", reach=timedelta(0), measures=("n",), law=ByPart("sensor_id"),
)
VIEWS = (LAST,)
"""
NUMBERS = count()

Made = Callable[..., Place]


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A function that writes a project of some files and makes it the one in force."""
    path, known = [*sys.path], {*sys.modules}

    def write(contracts: str | None = CONTRACTS, views: str | None = VIEWS, **more: str) -> Place:
        own = Place(f"mine_{next(NUMBERS)}", tmp_path / "mine", tmp_path)
        own = Place(own.module, tmp_path / own.module, tmp_path)
        own.folder.mkdir()
        for name, text in {"contracts": contracts, "views": views, **more}.items():
            if text is not None:
                (own.folder / f"{name}.py").write_text(text.replace("mine", own.module))
        monkeypatch.setattr(project, "folder", lambda: own)
        return own

    for cached in (project.contracts, project.views):
        cached.cache_clear()
    yield write
    for cached in (project.contracts, project.views):
        cached.cache_clear()
    sys.path[:] = path
    for name in {*sys.modules} - known:
        if name.startswith("mine_"):
            del sys.modules[name]


def test_its_topics_and_views_are_found_by_name(made: Made) -> None:
    own = made()
    assert [*project.contracts()] == ["readings"]
    assert [*project.views()] == ["last"]
    assert project.examples() == own.folder / "examples"


def test_a_package_of_a_file_each_is_found_too(made: Made) -> None:
    own = made(views=None)
    (own.folder / "views").mkdir()
    (own.folder / "views" / "last.py").write_text(VIEWS)
    (own.folder / "views" / "__init__.py").write_text(f"from {own.module}.views.last import LAST\nVIEWS = (LAST,)\n")
    assert [*project.views()] == ["last"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"contracts": None}, r"has no module `contracts`: .*/contracts\.py is missing"),
        ({"contracts": "CONTRACTS = ()"}, "has an empty CONTRACTS: a project has at least one topic and one view"),
        ({"views": "VIEWS = ()"}, "has an empty VIEWS"),
        ({"views": "LAST = 1"}, "has no VIEWS: it is a tuple of Views, one line for each"),
        ({"views": "VIEWS = ('last',)"}, "has no VIEWS: it is a tuple of Views"),
        ({"views": "import nothing_of_that_name"}, r"does not load \(.*/views\.py, line 1\): ModuleNotFoundError: No module"),
        ({"views": "VIEWS = (LAST,)"}, r"does not load \(.*/views\.py, line 1\): NameError: name 'LAST'"),
        ({"views": "VIEWS = (\n"}, r"does not load \(.*/views\.py, line 1\): SyntaxError"),
        ({"views": "from mine.units import C", "units": "C = 1 / 0"}, r"does not load \(.*/units\.py, line 1\): ZeroDivision"),
        ({"views": VIEWS.replace('"readings",)', '"reading",)')}, "view last reads reading, and the project has no such"),
        ({"views": VIEWS.replace("(LAST,)", "(LAST, LAST)")}, "has two views of the name last"),
        ({"contracts": CONTRACTS.replace("(READINGS,)", "(READINGS, READINGS)")}, "has two topics of the name readings"),
        ({"views": VIEWS.replace('"at", "timestamp"', '"as_of", "timestamp"')}, "the column names as_of are reserved"),
        ({"views": VIEWS.replace('"n", "bigint"', '"n", "double"')}, "view last: n is summed and is no whole number"),
        ({"contracts": "from streaming import project\nproject.contracts()"}, "imports one of the platform that needs"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(made: Made, files: dict[str, str | None], why: str) -> None:
    made(**files)
    with pytest.raises(PermanentFailure, match=why):
        project.views()


def test_another_package_of_its_name_is_not_taken_for_it(made: Made, tmp_path: Path) -> None:
    own = made()
    other = tmp_path / "other"
    (other / own.module).mkdir(parents=True)
    (other / own.module / "contracts.py").write_text(CONTRACTS)
    sys.path.insert(0, str(other))
    with pytest.raises(PermanentFailure, match="another package has its name, rename it"):
        project.contracts()


@pytest.mark.parametrize("layer", ["streaming", "batch"])
def test_each_layer_ends_in_a_sentence_where_there_is_no_project(layer: str, tmp_path: Path) -> None:
    env = {**os.environ, "DAYBREAK_PROJECT": str(tmp_path / "nowhere"), "DAYBREAK_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", layer], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == PERMANENT_EXIT
    assert done.stderr.startswith("daybreak: there is no project in ")
    assert done.stderr.count("\n") == 1
