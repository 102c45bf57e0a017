"""What goes out (option notify): alerts and corrections, by signed HTTP requests and mail.

Data flow: Settings -> Program; `<home>/run/notify.json` -> what it waits for, and what people should know
Run: daybreak up --with notify
"""

import sys
from pathlib import Path

from infra.failures import PERMANENT_EXIT
from infra.services import said
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings

SILENT_SECONDS = 45.0
"""Oldest status file of one that works: it is written every second, but for a target that ends, whose last attempt is awaited."""


def status_file(s: Settings) -> Path:
    """Where it says what each target has got."""
    return s.home / "run" / "notify.json"


def program(s: Settings) -> Program:
    """`python -m streaming.notify`; not restarted after a permanent failure, e.g. a file of targets that nobody can read."""
    return Program(
        name=Name.NOTIFY,
        command=(sys.executable, "-m", "streaming.notify"),
        env=settings_env(),
        needs=(Name.KAFKA,),
        waits_for=lambda pid: said.waits_for(status_file(s), pid, Name.NOTIFY, "its start", SILENT_SECONDS),
        notices=lambda pid: said.notices(status_file(s), pid),
        final_exit=PERMANENT_EXIT,
    )
