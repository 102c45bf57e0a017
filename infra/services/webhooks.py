"""Webhooks in (option webhooks): signed events by HTTP.

Data flow: Settings -> Program; `<home>/run/webhooks.json` -> what it waits for, and what people should know
Run: daybreak up --with webhooks
"""

import sys
from pathlib import Path

from infra.failures import PERMANENT_EXIT
from infra.last_said import last_said
from infra.options import VARIABLE
from infra.services import said
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings

SILENT_SECONDS = 15.0
"""Oldest status file of one that works: its loop, which also answers, writes it every second."""


def status_file(s: Settings) -> Path:
    """Where it says what it waits for, and how many requests it has answered how."""
    return s.home / "run" / "webhooks.json"


def program(s: Settings) -> Program:
    """`python -m streaming.webhooks`; not restarted after a permanent failure, e.g. a file of senders that nobody can read."""
    return Program(
        name=Name.WEBHOOKS,
        command=(sys.executable, "-m", "streaming.webhooks"),
        # Named, because with the order service on some topics are not for others to write.
        env=settings_env() | {VARIABLE: s.options},
        ports={"webhooks_port": s.webhooks_port},
        # The stream makes the topics.
        needs=(Name.KAFKA, Name.STREAM),
        waits_for=lambda pid: _waits_for(s, pid),
        notices=lambda pid: said.notices(status_file(s), pid),
        final_exit=PERMANENT_EXIT,
    )


def _waits_for(s: Settings, pid: int) -> str | None:
    file = status_file(s)
    return said.waits_for(file, pid, Name.WEBHOOKS, "its start", SILENT_SECONDS) or last_said(file).get("waits_for")
