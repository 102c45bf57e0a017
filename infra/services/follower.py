"""The follower of the search index (option shop-db).

Data flow: Settings -> Program
Run: daybreak up --with shop-db
"""

import json
import sys
import time

from infra.durations import span
from infra.failures import PERMANENT_EXIT
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings
from infra.shop.followers.follow import status_file

SILENT_SECONDS = 30.0
"""Oldest status file of a follower that works; it is written every second."""


def _waits_for(s: Settings, pid: int) -> str | None:
    """Does its own status file, written by this process, say that it goes on?"""
    file = status_file(s)
    said = json.loads(file.read_text()) if file.exists() else {}
    if said.get("pid") != pid:
        return "its start"
    age = time.time() - said["at"]
    return (
        f"its status file, which is {span(age)} old: see daybreak logs follower-index" if age > SILENT_SECONDS else None
    )


def program(s: Settings) -> Program:
    """`python -m infra.shop.followers`; not restarted after a permanent failure."""
    return Program(
        name=Name.FOLLOWER_INDEX,
        command=(sys.executable, "-m", "infra.shop.followers"),
        env=settings_env(),
        needs=(Name.KAFKA,),
        waits_for=lambda pid: _waits_for(s, pid),
        final_exit=PERMANENT_EXIT,
    )
