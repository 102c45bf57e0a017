"""The project in force: its topics and views, loaded once, or a sentence about what is wrong with them.

Data flow: DAYBREAK_PROJECT -> the tuples `contracts.CONTRACTS` and `views.VIEWS` of its package -> by name
Run: pytest tests/streaming/test_own_project.py

A project is a package. Its module `contracts` has the tuple CONTRACTS, its module `views` the tuple VIEWS; either may be a
package of a file per topic or view. Their order is the order of everything that is listed or generated. Beside them lie
`examples/<topic>` and `schemas`; what more it does, its `hooks` say (streaming/hooks.py). Contracts and views import from
`streaming.contracts.*`, `streaming.views.*`, `streaming.windows`, `streaming.words`, `streaming.reasons`, `infra.lake.columns`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from infra.failures import PermanentFailure
from streaming.contracts.contract import Contract
from streaming.project_code import folder, loaded
from streaming.views.law import ByPart
from streaming.views.view import View

__all__ = ("contracts", "examples", "folder", "schemas", "views")

Kind = TypeVar("Kind", Contract, View)


def examples() -> Path:
    """Its example messages: `<topic>/good/<event type>.json`, `<topic>/bad/<reason>.json`."""
    return folder().folder / "examples"


def schemas() -> Path:
    """Its Avro and Protobuf schemas, of topics that have such an encoding."""
    return folder().folder / "schemas"


@cache
def contracts() -> dict[str, Contract]:
    """Its topics, by name. Raises PermanentFailure if there is none, if two have one name, or if its code does not load."""
    found = _named("contracts", "CONTRACTS", Contract)
    by_topic = {one.topic: one for one in found}
    _refuse_twice("topics", (one.topic for one in found))
    # Kafka allows dots and hyphens, and columns do not.
    _refuse_twice("topics (with _ for other signs)", (one.column for one in found))
    return by_topic


@cache
def views() -> dict[str, View]:
    """Its views, by name. Raises PermanentFailure as `contracts`, and if a view reads a topic or a field that there is not."""
    found, topics = _named("views", "VIEWS", View), contracts()
    _refuse_twice("views", (one.name for one in found))
    for one in found:
        if unknown := sorted({*one.inputs} - {*topics}):
            raise PermanentFailure(
                f"the view {one.name} reads {', '.join(unknown)}, and the project has no such topic: it has {', '.join(topics)}"
            )
        if lacking := _lacking(one, topics):
            raise PermanentFailure(f"the view {one.name} {lacking}")
    return {one.name: one for one in found}


def _lacking(view: View, topics: Mapping[str, Contract]) -> str | None:
    """What a view looks for in the events of its topics, and what is not there."""
    fields = {topic: topics[topic].payload.fieldNames() for topic in view.streams}
    if isinstance(view.law, ByPart):
        for topic, there in fields.items():
            if view.law.column not in there:
                return f"is by the part `{view.law.column}`, and events of {topic} have no such field"
    for topic, name in view.changelogs.items():
        if name is not None and not any(name in there for there in fields.values()):
            return f"looks keys of {topic} up by `{name}`, and no event of {', '.join(fields)} has such a field"
    return None


def _named(part: str, name: str, kind: type[Kind]) -> tuple[Kind, ...]:
    """The tuple of this name in a module of the project."""
    own = folder()
    found = getattr(loaded(own, part), name, None)
    at = f"{own.module}.{part}"
    if not isinstance(found, tuple | list) or not all(isinstance(one, kind) for one in found):
        raise PermanentFailure(f"{at} has no {name}: it is a tuple of {kind.__name__}s, one line for each")
    if not found:
        raise PermanentFailure(f"{at} has an empty {name}: a project has at least one topic and one view")
    return tuple(found)


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise PermanentFailure(f"the project {folder().module} has two {what} of the name {', '.join(twice)}")
