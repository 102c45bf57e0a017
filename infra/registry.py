"""The registry of projects that come along: the only door by which this floor knows one.

Data flow: a project's package -> the module that has its PARTS -> who asks, without a word of the project's
Run: daybreak up --with shop-db

What every registered project declares, each home knows: names, settings, users. Only the programs of the one in force run.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from infra.parts import AtKafka, AtPostgres, Parts, When

REGISTERED = {"streaming.shop": "infra.shop.parts:PARTS"}
DEFAULT = next(iter(REGISTERED))
"""The project that is in force where none is named; a home from before projects were noted has its data."""


def named(said: str) -> Any:
    """What a declaration names as `module:name`."""
    module, _, name = said.partition(":")
    return getattr(import_module(module), name)


@cache
def every() -> Mapping[str, Parts]:
    """Those of each registered project, by its package."""
    return {project: named(said) for project, said in REGISTERED.items()}


def parts(project: str) -> Parts:
    """Those of a project; one that is not registered has none."""
    return every().get(project, Parts(title=project))


def programs(when: When) -> Mapping[str, str]:
    """The programs that start then, as members of the platform's enumeration."""
    return members(name for own in every().values() for name, then in own.programs.items() if then is when)


def at_kafka() -> Sequence[AtKafka]:
    """Whom they have at Kafka."""
    return [own.kafka for own in every().values() if own.kafka]


def at_postgres() -> Sequence[AtPostgres]:
    """What they have in Postgres."""
    return [own.postgres for own in every().values() if own.postgres]


def members(names: Iterable[str]) -> Mapping[str, str]:
    """Names as members of an enumeration: `heat-pump` is HEAT_PUMP. In its body, `locals().update` gives them their place."""
    return {name.upper().replace("-", "_"): name for name in names}
