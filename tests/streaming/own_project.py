"""A small project: its files, and how it is made the one in force."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from infra.project import Place
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


@contextmanager
def projects(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A function that writes a project of some files and makes it the one in force; `mine` stands for its name."""
    path, known = [*sys.path], {*sys.modules}

    def write(contracts: str | None = CONTRACTS, views: str | None = VIEWS, **more: str) -> Place:
        name = f"mine_{next(NUMBERS)}"
        own = Place(name, folder / name, folder)
        own.folder.mkdir()
        for file, text in {"contracts": contracts, "views": views, **more}.items():
            if text is not None:
                (own.folder / f"{file}.py").write_text(text.replace("mine", name))
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
