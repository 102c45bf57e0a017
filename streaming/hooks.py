"""What a project does beside its topics and views: commands of its own, and what the platform asks it at a few places.

Data flow: the project's module `hooks`, if it has one -> Hooks -> what they name, imported when it is asked for
Run: daybreak --help

A project has a module `hooks` with HOOKS = Hooks(...), or none. All is named as `module`, or as `module:name`, since a call of
`daybreak` imports no more than it needs. The platform reaches code of a project that is no contract and no view here only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

import typer
from pydantic import Field, JsonValue
from typer.main import get_command_name, get_group, solve_typer_info_defaults

from infra.failures import PermanentFailure, TransientFailure
from infra.field_types import check_fields, differing
from infra.kafka_users import User
from infra.problems import Problem
from infra.settings import Settings
from streaming.contracts.faults import TOPIC_NAME
from streaming.project_code import folder, has, loaded, named, told

MODULE, NAME = "hooks", "HOOKS"

Module = Annotated[str, Field(pattern=r"^\w+(\.\w+)*$")]
Function = Annotated[str, Field(pattern=r"^\w+(\.\w+)*:\w+$")]
Topic = Annotated[str, Field(pattern=f"^{TOPIC_NAME}$")]
"""It may be one without a contract."""

MISTAKES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What code that is wrong raises, whatever services do."""


@dataclass(frozen=True)
class Hooks:
    """A project's own. Raises ValueError, which names the hook, for one of another type.

    `commands`: name of a command of `daybreak` -> the module that has it in its Typer `commands`. `labs`: modules whose
    `commands` are labs. `looks`: name -> a function of Settings that returns the problems of what only this project runs.
    `for_gold`: a function of Settings, called before dbt builds gold, that returns variables of dbt's environment. `writers`: a
    function of Settings that returns the topics that programs of the project write, each with its Writer. `lag`: a function of
    Settings that returns a Backlog for each thing that `daybreak lag` is to show below the stream's.
    """

    commands: Mapping[str, Module] = field(default_factory=dict)
    labs: tuple[Module, ...] = ()
    looks: Mapping[str, Function] = field(default_factory=dict)
    for_gold: Function | None = None
    writers: Function | None = None
    lag: Function | None = None

    def __post_init__(self) -> None:
        check_fields(self, "Hooks")


@dataclass(frozen=True)
class Writer:
    """Who writes a topic. `why`: why others do not, and what to do, as a sentence. `beside`: users of Kafka who may too."""

    why: str
    beside: tuple[User, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, "Writer")


@dataclass(frozen=True)
class Backlog:
    """How far something is behind: as an object of JSON, and as lines for a terminal."""

    as_json: Mapping[str, JsonValue]
    lines: tuple[str, ...]

    def __post_init__(self) -> None:
        check_fields(self, "Backlog")


@cache
def hooks() -> Hooks:
    """Those of the project in force; of one that has none, empty ones. Raises PermanentFailure if its module is wrong."""
    own = folder()
    if not has(own, MODULE):
        return Hooks()
    module = loaded(own, MODULE)
    if not hasattr(module, NAME):
        raise PermanentFailure(f"{own.module}.{MODULE} has no {NAME}: it is one streaming.hooks.Hooks")
    if not isinstance(found := getattr(module, NAME), Hooks):
        raise PermanentFailure(
            f"{own.module}.{MODULE}: {NAME} should be one streaming.hooks.Hooks, and is of type {type(found).__name__}"
        )
    return found


def commands(hook: str, module: str) -> typer.Typer:
    """The commands of a module that the hook `commands` or `labs` names. Raises PermanentFailure if it has none, or wrong."""
    at = f"{said_in(hook)} names {module}, whose `commands`"
    found = named(folder(), f"{module}:commands", said_in(hook))
    if not isinstance(found, typer.Typer):
        raise PermanentFailure(f"{at} should be a typer.Typer, and is of type {type(found).__name__}")
    try:
        get_group(found)
    except Exception as wrong:
        raise PermanentFailure(f"{at} make no command line {told(folder(), wrong)}") from wrong
    return found


def names(of: typer.Typer) -> list[str]:
    """What its commands and groups of commands are called, in their order; one that is there twice stands there twice."""
    found = [one.name or get_command_name(one.callback.__name__) for one in of.registered_commands if one.callback]
    for group in of.registered_groups:
        name = solve_typer_info_defaults(group).name
        # The commands of a group without a name are beside the others.
        found += [name] if name else names(group.typer_instance) if group.typer_instance else []
    return found


def problems(name: str, said: str, s: Settings) -> Sequence[Problem]:
    """What a look of the project finds. Raises as the function, e.g. TransientFailure if a service does not answer."""
    hook = f"looks[{name!r}]"
    found: Sequence[Problem] = _answer(hook, said, s, Sequence[Problem])
    try:
        for one in found:
            check_fields(one, f"{said_in(hook)} names {said}, which returns a Problem")
    except ValueError as wrong:
        raise PermanentFailure(str(wrong)) from wrong
    return found


def writers(s: Settings) -> Mapping[str, Writer]:
    """The topics that the project's own programs write."""
    said = hooks().writers
    return {} if said is None else _answer("writers", said, s, Mapping[Topic, Writer])


def backlogs(s: Settings) -> Sequence[Backlog]:
    """What else is behind. Raises as the project's function, e.g. TransientFailure if a service does not answer."""
    said = hooks().lag
    return () if said is None else _answer("lag", said, s, Sequence[Backlog])


def for_gold(s: Settings) -> Mapping[str, str]:
    """The project's variables of dbt's environment, as they are now."""
    said = hooks().for_gold
    return {} if said is None else _answer("for_gold", said, s, Mapping[str, str])


def said_in(hook: str) -> str:
    """Where a hook stands, to begin a sentence."""
    return f"{folder().module}.{MODULE}: `{hook}`"


def _answer(hook: str, said: str, s: Settings, kind: Any) -> Any:
    """What a function of the project returns, which is of this type.

    Raises PermanentFailure, which names the hook, if it is not; and the function's own failures. Its other exceptions become a
    PermanentFailure if they are MISTAKES, and else a TransientFailure: a service or a disk may have been away.
    """
    at, function = f"{said_in(hook)} names {said}", named(folder(), said, said_in(hook))
    if not callable(function):
        raise PermanentFailure(
            f"{at}, which should be a function of Settings, and is of type {type(function).__name__}"
        )
    try:
        found = function(s)
        if isinstance(found, Iterator):
            found = [*found]
    except (PermanentFailure, TransientFailure):
        raise
    except Exception as wrong:
        failure = PermanentFailure if isinstance(wrong, MISTAKES) else TransientFailure
        raise failure(f"{at}, which failed {told(folder(), wrong)}") from wrong
    if differs := differing(kind, found, "returned"):
        raise PermanentFailure(f"{at}: {differs}")
    return found
