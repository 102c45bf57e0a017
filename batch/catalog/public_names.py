"""The page of all that a project imports from the platform: each name with its types and its docstring.

Data flow: the public modules -> streaming/PROJECT.md
Run: make catalog
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import is_dataclass
from enum import StrEnum
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any, get_type_hints

PAGE = "streaming/PROJECT.md"
PUBLIC = {
    "infra.lake.columns": ("column", "struct", "TYPES"),
    "streaming.contracts.contract": (
        *("Contract", "Rule", "Version", "is_text", "matches", "between", "length_between", "size_between"),
        *("elements_match", "UUID"),
    ),
    "streaming.contracts.array_rules": ("each_has", "each_matches", "each_between", "each_names_only"),
    "streaming.contracts.captured": ("Captured",),
    "streaming.reasons": ("Reason",),
    "streaming.views.view": ("View", "Events"),
    "streaming.views.law": ("Additive", "ByPart", "ByWindow", "APART"),
    "streaming.windows": ("tumbling", "hopping", "sliding", "sliding_sums", "session", "SESSION_START"),
    "streaming.views.as_of": ("versions", "was_valid", "VALID_FROM", "VALID_TO", "KNOWN_AT"),
    "streaming.views.as_of_join": ("last_up_to", "first_from", "next_ones", "TIME"),
    "streaming.words": ("words_of",),
    "streaming.views.reading": ("reading",),
    "streaming.hooks": ("Hooks", "Writer", "Backlog"),
    "streaming.testing": ("reasons", "examples_that_lie", "rows", "said", "golden_day", "Event", "ARRIVAL"),
    "streaming.golden.day": ("GoldenDay",),
}
"""In the order in which a project meets them."""
HEAD = """<!-- made by make catalog, from the docstrings -->
# What a project imports

Contracts, views, hooks and tests of a project import these names and no others of the platform; a new version of the platform
keeps them, or says in its changelog what to write instead. How they go together: [the speed layer](README.md#a-project).
"""
QUALIFIED = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")
"""What stands before a type's own name."""
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def page() -> str:
    """The whole page. Raises ValueError for a name without a docstring."""
    return "\n".join([HEAD, *(_of_module(name, names) for name, names in PUBLIC.items())])


def _of_module(name: str, names: tuple[str, ...]) -> str:
    module = import_module(name)
    title = (module.__doc__ or "").partition("\n")[0]
    return "\n".join([f"## {name}\n\n{title}\n", *(_of_name(module, one) for one in names)])


def _of_name(module: ModuleType, name: str) -> str:
    found: Any = getattr(module, name)
    if inspect.isclass(found) and issubclass(found, StrEnum):
        return _entry(f"class {name}(StrEnum): ...", found.__doc__, [*found])
    if isinstance(found, dict):
        kind = QUALIFIED.sub("", str(module.__annotations__[name]))
        return _entry(f"{name}: {kind}", _said_below(module, name), [*found])
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        value = json.dumps(found) if isinstance(found, str) else QUALIFIED.sub("", repr(found))
        return _entry(f"{name} = {value}", _said_below(module, name))
    lines = [_entry(_signed(name, found), found.__doc__)]
    if inspect.isclass(found) and is_dataclass(found):
        lines += [f"- `{own}`: {' '.join(said.split())}" for own, said in _fields(found)]
        lines += [""] * (len(lines) > 1)
    elif inspect.isclass(found):
        lines += [_entry(_signed(f"{name}.{own}", method), method.__doc__) for own, method in _methods(found)]
    return "\n".join(lines)


def _fields(of: type) -> Iterator[tuple[str, str]]:
    """Those that say what they are."""
    (own,) = ast.parse(inspect.cleandoc(inspect.getsource(of))).body
    assert isinstance(own, ast.ClassDef)
    return ((name, said) for names, said in _texts(own.body) for name in names)


def _methods(of: type) -> Iterator[tuple[str, Any]]:
    return ((name, one) for name, one in vars(of).items() if inspect.isfunction(one) and not name.startswith("_"))


def _entry(line: str, said: str | None, names: Sequence[str] = ()) -> str:
    if not said:
        raise ValueError(f"no docstring says what `{line}` is")
    listed = f"\n{', '.join(f'`{one}`' for one in names)}\n" if names else ""
    return f"```python\n{line}\n```\n\n{inspect.cleandoc(said)}\n{listed}"


def _signed(name: str, found: Any) -> str:
    # Without what pydantic is told beside a type.
    hints = get_type_hints(found.__init__ if inspect.isclass(found) else found)
    own = inspect.signature(found)
    every = [one.replace(annotation=hints.get(one.name, one.annotation)) for one in own.parameters.values()]
    told = QUALIFIED.sub("", ADDRESS.sub("", str(own.replace(parameters=every)))).replace("'", '"')
    told = told.replace(" -> None", "") if inspect.isclass(found) else told
    line = f"{name}{told}"
    if len(line) <= 100:
        return line
    inside, _, after = told[1:].rpartition(")")
    return f"{name}(\n" + "".join(f"    {one},\n" for one in _parted(inside)) + f"){after}"


def _parted(inside: str) -> list[str]:
    """Parameters, at the commas that stand in no bracket."""
    found, depth = [""], 0
    for letter in inside:
        depth += (letter in "[({") - (letter in "])}")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]


def _said_below(module: ModuleType, name: str) -> str | None:
    """What the text below an assignment of the module says, as Sphinx reads it."""
    return next((said for names, said in _texts(ast.parse(inspect.getsource(module)).body) if name in names), None)


def _texts(body: list[ast.stmt]) -> Iterator[tuple[set[str], str]]:
    """The names that a statement assigns, and the text below it."""
    for one, below in pairwise(body):
        match one, below:
            case ((ast.AnnAssign() | ast.Assign()), ast.Expr(value=ast.Constant(value=str(said)))):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                yield {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}, said
