"""The followers as programs: of the captured tables, and of the order service's events (option shop-db).

Data flow: Settings -> a Program per follower
Run: daybreak up --with shop-db
"""

import sys

from infra.failures import PERMANENT_EXIT
from infra.services import said
from infra.services.program import Name, Program, nothing, settings_env
from infra.settings import Settings
from infra.shop.db import tables
from infra.shop.followers.follower import System
from infra.shop.followers.systems import systems
from infra.shop.services.names import CACHE, FOLLOWER_CACHE, FOLLOWER_INDEX, FOLLOWER_ORDERS

SILENT_SECONDS = 30.0
"""Oldest status file of a follower that works; it is written every second."""
NEEDS = {
    FOLLOWER_INDEX: (Name.KAFKA,),
    FOLLOWER_CACHE: (Name.KAFKA, CACHE),
    FOLLOWER_ORDERS: (Name.KAFKA, Name.POSTGRES),
}


def programs(s: Settings) -> list[Program]:
    """`python -m infra.shop.followers NAME`, one of each; not restarted after a permanent failure."""
    return [_program(s, one) for one in systems(s).values()]


def _program(s: Settings, system: System) -> Program:
    name = Name(system.program)
    return Program(
        name=name,
        command=(sys.executable, "-m", "infra.shop.followers", system.name),
        env=settings_env(),
        needs=NEEDS[name],
        waits_for=lambda pid: said.waits_for(system.status_file(s), pid, system.program, "its start", SILENT_SECONDS),
        # The others have a place of their own; this one writes into the shop's table.
        prepare=(lambda: tables.create(s)) if name is FOLLOWER_ORDERS else nothing,
        final_exit=PERMANENT_EXIT,
    )
