"""The order service (option order-service).

Data flow: Settings -> Program
Run: daybreak up --with order-service
"""

import json
import sys
import time

from infra.durations import span
from infra.failures import PERMANENT_EXIT
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings
from infra.shop.orders.service import SECONDS, status_file

SILENT_SECONDS = SECONDS
"""Oldest status file of a service that works: it is written every second, and a transaction may take so long."""


def _waits_for(s: Settings, pid: int) -> str | None:
    """Does its own status file, written by this process, say that it goes on?"""
    file = status_file(s)
    said = json.loads(file.read_text()) if file.exists() else {}
    if said.get("pid") != pid:
        return "its state, which it restores from the log"
    age = time.time() - said["at"]
    return (
        f"its status file, which is {span(age)} old: see daybreak logs order-service" if age > SILENT_SECONDS else None
    )


def program(s: Settings) -> Program:
    """`python -m infra.shop.orders`; not restarted after a permanent failure, e.g. when another instance has taken over."""
    return Program(
        name=Name.ORDER_SERVICE,
        command=(sys.executable, "-m", "infra.shop.orders"),
        env=settings_env(),
        # The stream makes the topics.
        needs=(Name.KAFKA, Name.STREAM),
        waits_for=lambda pid: _waits_for(s, pid),
        start_seconds=300,
        final_exit=PERMANENT_EXIT,
    )
