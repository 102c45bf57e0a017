"""The order service (option order-service).

Data flow: Settings -> Program
Run: daybreak up --with order-service
"""

import sys

from infra.failures import PERMANENT_EXIT
from infra.services import said
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings
from infra.shop.orders.service import SECONDS, status_file
from infra.shop.services.names import ORDER_SERVICE

SILENT_SECONDS = SECONDS
"""Oldest status file of a service that works: it is written every second, and a transaction may take so long."""


def program(s: Settings) -> Program:
    """`python -m infra.shop.orders`; not restarted after a permanent failure, e.g. when another instance has taken over."""
    return Program(
        name=ORDER_SERVICE,
        command=(sys.executable, "-m", "infra.shop.orders"),
        env=settings_env(),
        # The stream makes the topics.
        needs=(Name.KAFKA, Name.STREAM),
        waits_for=lambda pid: said.waits_for(
            status_file(s), pid, ORDER_SERVICE, "its state, which it restores from the log", SILENT_SECONDS
        ),
        start_seconds=300,
        final_exit=PERMANENT_EXIT,
    )
