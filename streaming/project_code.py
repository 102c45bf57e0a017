"""Load the code of the project in force: a module of its package, or what a module of it names; else a sentence that says where.

Data flow: Place, a module's name -> the module, or PermanentFailure with file and line
Run: pytest tests/streaming/test_own_project.py
"""

import sys
import traceback
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from infra.failures import PermanentFailure
from infra.project import Place, importable, place
from infra.settings import settings

EVERY = (Exception, SystemExit)
"""What importing a module may raise: one that is a program, too, may end there."""


@cache
def folder() -> Place:
    """Where it is. Raises PermanentFailure if it is not there."""
    return place(settings())


def has(own: Place, part: str) -> bool:
    """Does it have such a module, or such a package?"""
    return (own.folder / f"{part}.py").is_file() or (own.folder / part / "__init__.py").is_file()


def loaded(own: Place, part: str) -> ModuleType:
    """A module of its package. Raises PermanentFailure if it is missing, does not load, or is another package's."""
    importable(own)
    name = f"{own.module}.{part}"
    if getattr(getattr(sys.modules.get(name), "__spec__", None), "_initializing", False):
        raise PermanentFailure(
            f"a module of {name} imports one of the platform that needs {name} itself: import from streaming.contracts.*, "
            "streaming.views.*, streaming.windows, streaming.words, streaming.reasons and infra.lake.columns"
        )
    try:
        found = import_module(name)
    except PermanentFailure:
        raise
    except EVERY as wrong:
        if isinstance(wrong, ModuleNotFoundError) and wrong.name == name:
            raise PermanentFailure(
                f"the project {own.module} has no module `{part}`: {own.folder}/{part}.py is missing"
            ) from wrong
        raise PermanentFailure(f"the project {own.module} does not load {told(own, wrong)}") from wrong
    origin = Path(found.__file__ or "").resolve()
    if not origin.is_relative_to(own.folder):
        raise PermanentFailure(
            f"`{name}` is {origin} here, and not in the project's folder {own.folder}: another package has its name, rename it"
        )
    return found


def named(own: Place, said: str, at: str) -> object:
    """What the project names as `module:name` somewhere. Raises PermanentFailure, which says where, if there is no such thing."""
    importable(own)
    module, _, name = said.partition(":")
    try:
        found = import_module(module)
    except PermanentFailure:
        raise
    except EVERY as wrong:
        raise PermanentFailure(f"{at} names {said}, and {module} does not load {told(own, wrong)}") from wrong
    if not hasattr(found, name):
        raise PermanentFailure(f"{at} names {said}, and {module} ({found.__file__}) has no `{name}`")
    return getattr(found, name)


def told(own: Place, wrong: BaseException) -> str:
    """Where in the project an exception comes from, and what it says: `(file, line 1): kind: words`."""
    places = [one for one in traceback.extract_tb(wrong.__traceback__) if Path(one.filename).is_relative_to(own.folder)]
    where = f"{places[-1].filename}, line {places[-1].lineno}" if places else str(own.folder)
    if isinstance(wrong, SyntaxError):
        where = f"{wrong.filename}, line {wrong.lineno}"
    return f"({where}): {type(wrong).__name__}: {wrong}"
