"""A program of the platform: one process that supervisor keeps alive.

Data flow: Settings -> Program -> a section of supervisor's configuration
Run: daybreak status
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from infra.parts import When
from infra.project import python_path
from infra.project_setting import VARIABLE as PROJECT
from infra.registry import programs
from infra.settings import Settings

BIN = Path(sys.prefix) / "bin"
"""Commands of the Python environment we run in."""


class Name(StrEnum):
    """Every program, in the order in which they start; those of a project that comes along are where it says."""

    KAFKA = "kafka"
    KAFKA_1 = "kafka-1"
    KAFKA_2 = "kafka-2"
    KAFKA_3 = "kafka-3"
    STORE = "store"
    POSTGRES = "postgres"
    locals().update(programs(When.WITH_SERVICES))
    QUEUE = "queue"
    locals().update(programs(When.BEFORE_STREAM))
    STREAM = "stream"
    locals().update(programs(When.AFTER_STREAM))
    WEBHOOKS = "webhooks"
    NOTIFY = "notify"
    GATEWAY = "gateway"
    AIRFLOW_API = "airflow-api"
    AIRFLOW_SCHEDULER = "airflow-scheduler"
    AIRFLOW_DAG_PROCESSOR = "airflow-dag-processor"
    AIRFLOW_TRIGGERER = "airflow-triggerer"


def nothing() -> None:
    """The default of a program's functions: do nothing."""


def no_notices(pid: int) -> tuple[str, ...]:
    """The default: a program has nothing to tell."""
    return ()


@dataclass(frozen=True)
class Program:
    """How to run one program.

    `ports` are setting names with their port. `waits_for` returns None if the program works, else what it waits for, as
    text; `fails` returns what it fails at repeatedly, or None; `notices` what people should know although it works.
    `prepare` creates what must exist before the start, and `complete` what needs the running program (e.g. databases).
    Both may run again and then change nothing.
    """

    name: Name
    command: tuple[str, ...]
    waits_for: Callable[[int], str | None]
    ports: Mapping[str, int] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Name, ...] = ()
    fails: Callable[[], str | None] = nothing
    notices: Callable[[int], tuple[str, ...]] = no_notices
    prepare: Callable[[], None] = nothing
    complete: Callable[[], None] = nothing
    start_seconds: int = 120
    stop_seconds: int = 30
    stop_signal: str = "TERM"
    stop_group: bool = True
    heap: tuple[str, str] | None = None
    """Of a JVM: its size, and the setting that gives it."""
    final_exit: int | None = None
    """An exit code after which a restart would not help."""


def shared_env(s: Settings) -> dict[str, str]:
    """The environment of every program: this installation's commands, first on the path, its modules, its project and home."""
    return {
        "PATH": f"{BIN}:{os.environ.get('PATH', '/usr/local/bin:/usr/bin:/bin')}",
        "PYTHONPATH": python_path(s),
        "PYTHONUNBUFFERED": "1",
        "DAYBREAK_HOME": str(s.home),
        PROJECT: s.project,
        "SPARK_CONF_DIR": str(s.home / "spark"),
        "TZ": "UTC",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def settings_env() -> dict[str, str]:
    """The settings that the environment names, for programs that read them themselves; a change restarts those."""
    # The project is every program's: as an absolute folder, whatever was said from where.
    return {name: value for name, value in os.environ.items() if name.startswith("DAYBREAK_") and name != PROJECT}
