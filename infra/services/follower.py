"""The followers of the captured tables as programs (option shop-db).

Data flow: Settings -> a Program per follower
Run: daybreak up --with shop-db
"""

import json
import sys
import time

from infra.durations import span
from infra.failures import PERMANENT_EXIT
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings
from infra.shop.followers.follower import System
from infra.shop.followers.systems import SYSTEMS

SILENT_SECONDS = 30.0
"""Oldest status file of a follower that works; it is written every second."""
NEEDS = {Name.FOLLOWER_INDEX: (Name.KAFKA,), Name.FOLLOWER_CACHE: (Name.KAFKA, Name.CACHE)}


def _waits_for(s: Settings, system: System, pid: int) -> str | None:
    """Does its own status file, written by this process, say that it goes on?"""
    file = system.status_file(s)
    said = json.loads(file.read_text()) if file.exists() else {}
    if said.get("pid") != pid:
        return "its start"
    age = time.time() - said["at"]
    return (
        f"its status file, which is {span(age)} old: see daybreak logs {system.program}"
        if age > SILENT_SECONDS
        else None
    )


def programs(s: Settings) -> list[Program]:
    """`python -m infra.shop.followers NAME`, one of each; not restarted after a permanent failure."""
    return [_program(s, one) for one in SYSTEMS.values()]


def _program(s: Settings, system: System) -> Program:
    name = Name(system.program)
    return Program(
        name=name,
        command=(sys.executable, "-m", "infra.shop.followers", system.name),
        env=settings_env(),
        needs=NEEDS[name],
        waits_for=lambda pid: _waits_for(s, system, pid),
        final_exit=PERMANENT_EXIT,
    )
