"""What a project that comes along declares for this floor. A declaration imports nothing but words.

Data flow: PARTS of a project -> infra/registry.py -> options, programs, settings, users and roles
Run: daybreak up --with shop-db

A function is named as `module:name`, and imported when it is asked for: a call of `daybreak` imports no more than it needs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto


@dataclass(frozen=True)
class Option:
    """A part of the platform that is off by default.

    `needs`: options that are on too -> why. `of_the_stream`: it changes which topics the stream reads, or what its views read, so
    the stream is started again with it. `anew_on`, `anew_off`: the stream's views are computed anew when it is turned on, or off.
    `of_dbt`: variables of dbt's environment while it is on. `after_off`: a function of Settings, called when it is off, which
    returns a sentence to print, or None.
    """

    name: str
    what: str
    needs: Mapping[str, str] = field(default_factory=dict)
    of_the_stream: bool = False
    anew_on: bool = False
    anew_off: bool = False
    of_dbt: Mapping[str, str] = field(default_factory=dict)
    after_off: str | None = None


class When(Enum):
    """Where a project's program is in the order of the start."""

    WITH_SERVICES = auto()
    """Behind Kafka, the store and Postgres."""
    BEFORE_STREAM = auto()
    AFTER_STREAM = auto()


@dataclass(frozen=True)
class AtKafka:
    """Who logs in to Kafka.

    `users`: the name of each -> what it does, and for whom. `grants`: a function of Settings that returns the Grants of each.
    `tries`: what a test tries as every user -> who may, beside those who may do everything. `sender`: the user who sends events,
    to whom the platform grants the topics. Passwords are the project's settings.
    """

    users: Mapping[str, str]
    grants: str
    tries: Mapping[str, tuple[str, ...]]
    sender: str | None = None


@dataclass(frozen=True)
class PostgresRole:
    """`may`: what it does, and for whom. `replicates`: it reads the log of changes. `sessions`: most at once; -1 is no limit."""

    may: str
    replicates: bool = False
    sessions: int = -1


@dataclass(frozen=True)
class AtPostgres:
    """A database in the embedded Postgres, and who enters it.

    `grants`: a function of a connection and the roles that there are, which grants what they may beside its `owner`. `tries`: as
    for Kafka, beside the server's own role.
    """

    database: str
    owner: str
    roles: Mapping[str, PostgresRole]
    grants: str
    tries: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Parts:
    """All that a project has on this floor.

    `title`: how a sentence names the project. `settings`: a class of settings of its own. `secrets`: those that are made at the
    first start -> the setting of an endpoint; if that is set, the service is yours, and so is its secret. `programs`: the name of
    each that it may run -> when it starts. `roster`: a function of Settings that returns a Program for each that is to run.
    """

    title: str
    settings: str | None = None
    secrets: Mapping[str, str | None] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    programs: Mapping[str, When] = field(default_factory=dict)
    roster: str | None = None
    kafka: AtKafka | None = None
    postgres: AtPostgres | None = None
