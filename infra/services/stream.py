"""The always-on stream, as a program.

Data flow: Settings -> Program
Run: daybreak restart stream
"""

import sys

from infra.failing import WHAT_TO_DO, failing
from infra.failures import PERMANENT_EXIT
from infra.options import OF_THE_STREAM, VARIABLE
from infra.services import health
from infra.services.program import Name, Program, settings_env
from infra.settings import Settings

GIVES_BACK = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    # In bytes. By default both grow with the largest buffer that was ever given up, to 32 and 64 MB.
    "MALLOC_MMAP_THRESHOLD_": "262144",
    "MALLOC_TRIM_THRESHOLD_": "4194304",
}
"""Memory that a large micro-batch took goes back to the machine: else Arrow and RocksDB keep some 600 MB of it."""


def program(s: Settings) -> Program:
    """`python -m streaming`; supervisor does not restart it after a permanent failure (exit code 65)."""
    return Program(
        name=Name.STREAM,
        command=(sys.executable, "-m", "streaming"),
        # Named, so that an option of its own that is turned on or off starts it again.
        env=settings_env() | GIVES_BACK | {VARIABLE: ",".join(filter(s.has, OF_THE_STREAM))},
        ports={"stream_ui_port": s.stream_ui_port},
        needs=(Name.KAFKA, Name.STORE, Name.POSTGRES),
        waits_for=lambda pid: health.stream(s, pid),
        notices=lambda pid: health.notices(s, pid),
        fails=lambda: f"{found.place}. {WHAT_TO_DO}" if (found := failing(s)) else None,
        start_seconds=300,
        stop_seconds=60,
        final_exit=PERMANENT_EXIT,
    )
