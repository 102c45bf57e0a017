"""A project's topics and views are found by one rule, and whatever is wrong with them is one sentence that says where.

Data flow: a folder with `contracts.py` and `views.py` -> CONTRACTS and VIEWS, or PermanentFailure
Run: pytest tests/streaming/test_own_project.py
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_project import CONTRACTS, VIEWS, Made, projects

from infra.failures import PERMANENT_EXIT, PermanentFailure
from infra.settings import ROOT
from streaming import project


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    with projects(tmp_path, monkeypatch) as write:
        yield write


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


PROGRAMS = (
    "streaming",
    "streaming.webhooks",
    "streaming.sent_topics",
    "streaming.golden tests/day",
    "streaming.encodings.avro_schemas readings",
    "streaming.encodings.proto_schemas readings",
    "batch night --date 2026-01-31",
    "batch.gold build",
    "batch.report --date 2026-01-31",
    "batch.catalog",
)
"""Those that read contracts."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_ends_in_a_sentence_where_there_is_no_project(program: str, tmp_path: Path) -> None:
    env = {**os.environ, "DAYBREAK_PROJECT": str(tmp_path / "nowhere"), "DAYBREAK_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-m", *program.split()], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == PERMANENT_EXIT
    assert done.stderr.startswith("daybreak: there is no project in ")
    assert done.stderr.count("\n") == 1
