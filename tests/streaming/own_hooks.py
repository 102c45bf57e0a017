"""A project with hooks: its files, and how it is made the one in force."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from infra.project import Place
from streaming import hooks as module
from streaming.hooks import hooks

GREET = """
import typer

commands = typer.Typer()


@commands.command()
def greet() -> None:
    print("hello")


def looked(s):
    from infra.problems import Problem

    return [Problem("mine/attic", "the attic is cold", "heat it")]


def variables(s):
    return {"MINE": str(s.topic_partitions)}


def writers(s):
    from streaming.hooks import Writer

    return {"rooms": Writer("only the attic writes `rooms`")}


def lag(s):
    from streaming.hooks import Backlog

    return [Backlog({"attic": 3}, ("the attic is 3 behind",))]
"""
OWN = """
from streaming.hooks import Hooks

HOOKS = Hooks(
    commands={"greet": "mine.greet"},
    looks={"attic": "mine.greet:looked"},
    for_gold="mine.greet:variables",
    writers="mine.greet:writers",
    lag="mine.greet:lag",
)
"""
NUMBERS = count()
Made = Callable[..., Place]


@contextmanager
def projects(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """A function that writes a project of some files and makes it the one in force; `mine.` stands for its name."""
    path, known = [*sys.path], {*sys.modules}

    def write(**files: str) -> Place:
        name = f"mine_hooks_{next(NUMBERS)}"
        own = Place(name, folder / name, folder)
        own.folder.mkdir()
        for file, text in files.items():
            (own.folder / f"{file}.py").write_text(text.replace("mine.", f"{name}."))
        monkeypatch.setattr(module, "folder", lambda: own)
        return own

    hooks.cache_clear()
    yield write
    hooks.cache_clear()
    sys.path[:] = path
    for name in {*sys.modules} - known:
        if name.startswith("mine_hooks_"):
            del sys.modules[name]
