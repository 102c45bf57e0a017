"""What a project does beside its topics and views: commands of its own, and what the platform asks it at a few places.

Data flow: the project's module `hooks`, if it has one -> Hooks -> what they name, imported when it is asked for
Run: daybreak --help

A project has a module `hooks` with HOOKS = Hooks(...), or none. All is named as `module`, or as `module:name`, since a call of
`daybreak` imports no more than it needs. The platform reaches code of a project that is no contract and no view here only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import typer

from infra.failures import PermanentFailure
from infra.kafka_users import User
from infra.settings import Settings
from streaming.project_code import folder, has, loaded, named

MODULE, NAME = "hooks", "HOOKS"


@dataclass(frozen=True)
class Hooks:
    """A project's own.

    `commands`: name of a command of `daybreak` -> the module that has it in its Typer `commands`. `labs`: modules whose
    `commands` are labs. `looks`: name -> a function of Settings that returns the problems of what only this project runs.
    `for_gold`: a function of Settings, called before dbt builds gold, that returns variables of dbt's environment. `writers`: a
    function of Settings that returns the topics that programs of the project write, each with its Writer. `lag`: a function of
    Settings that returns a Backlog for each thing that `daybreak lag` is to show below the stream's.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    labs: tuple[str, ...] = ()
    looks: Mapping[str, str] = field(default_factory=dict)
    for_gold: str | None = None
    writers: str | None = None
    lag: str | None = None


@dataclass(frozen=True)
class Writer:
    """Who writes a topic. `why`: why others do not, and what to do, as a sentence. `beside`: users of Kafka who may too."""

    why: str
    beside: tuple[User, ...] = ()


@dataclass(frozen=True)
class Backlog:
    """How far something is behind: as an object of JSON, and as lines for a terminal."""

    as_json: Mapping[str, Any]
    lines: tuple[str, ...]


@cache
def hooks() -> Hooks:
    """Those of the project in force; of one that has none, empty ones. Raises PermanentFailure if its module is wrong."""
    own = folder()
    if not has(own, MODULE):
        return Hooks()
    found = getattr(loaded(own, MODULE), NAME, None)
    if not isinstance(found, Hooks):
        raise PermanentFailure(f"{own.module}.{MODULE} has no {NAME}: it is one streaming.hooks.Hooks")
    return found


@cache
def own(said: str) -> Any:
    """What a hook names. Raises PermanentFailure if it cannot be imported."""
    return named(folder(), said)


def commands(module: str) -> typer.Typer:
    """The commands of a module that a hook names. Raises PermanentFailure if it has none."""
    found = own(f"{module}:commands")
    if not isinstance(found, typer.Typer):
        raise PermanentFailure(f"the project {folder().module} names {module}, whose `commands` is no typer.Typer")
    return found


def writers(s: Settings) -> Mapping[str, Writer]:
    """The topics that the project's own programs write."""
    said = hooks().writers
    return {} if said is None else own(said)(s)


def backlogs(s: Settings) -> Sequence[Backlog]:
    """What else is behind. Raises as the project's function, e.g. TransientFailure if a service does not answer."""
    said = hooks().lag
    return () if said is None else own(said)(s)


def for_gold(s: Settings) -> Mapping[str, str]:
    """The project's variables of dbt's environment, as they are now."""
    said = hooks().for_gold
    return {} if said is None else own(said)(s)
